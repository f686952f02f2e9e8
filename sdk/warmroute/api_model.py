"""SageMaker's API as botocore models it: which requests the service would refuse.

boto3 checks only what is required and minimums before it sends; the service also checks enumerations, maximums
and patterns. Messages are worded as AWS words them.
"""

from __future__ import annotations

import functools
import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from botocore.model import ServiceModel, Shape

_TYPES: dict[str, tuple[type, ...]] = {
    "structure": (dict,),
    "map": (dict,),
    "list": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "boolean": (bool,),
}


def violations(action: str, request: Mapping[str, Any], *, unchecked: Collection[str] = ()) -> list[str]:
    """What the API's model does not allow of a request.

    Args:
        action: Name of the API call.
        request: Its input.
        unchecked: Names of shapes that are left out.
    """
    shape = service_model().operation_model(action).input_shape
    return list(_faults(shape, request, "", unchecked)) if shape is not None else []


@functools.cache
def service_model() -> ServiceModel:
    """The SageMaker API as botocore models it."""
    import botocore.session

    return botocore.session.get_session().get_service_model("sagemaker")


def _faults(shape: Any, value: object, path: str, unchecked: Collection[str]) -> Iterator[str]:
    if value is None or shape.name in unchecked:
        return
    kinds = _TYPES.get(shape.type_name)
    if kinds is None:
        return
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        yield _say(value, path, f"Member must be of type {shape.type_name}")
        return
    yield from _own_faults(shape, value, path)
    if shape.type_name == "structure":
        yield from _member_faults(shape, value, path, unchecked)
    elif shape.type_name == "list":
        for number, item in enumerate(value, start=1):  # type: ignore[arg-type, var-annotated]
            yield from _faults(shape.member, item, f"{path}.{number}.member", unchecked)
    elif shape.type_name == "map":
        for key, item in value.items():  # type: ignore[attr-defined]
            yield from _faults(shape.key, key, f"{path}.key", unchecked)
            yield from _faults(shape.value, item, f"{path}.{key}.member", unchecked)


def _member_faults(shape: Any, value: Any, path: str, unchecked: Collection[str]) -> Iterator[str]:
    for name in shape.required_members:
        if value.get(name) is None:
            yield _say(None, _join(path, name), "Member must not be null")
    for name, member in shape.members.items():
        yield from _faults(member, value.get(name), _join(path, name), unchecked)


def _own_faults(shape: Shape, value: Any, path: str) -> Iterator[str]:
    limits = shape.metadata
    if shape.type_name in {"string", "list", "map"}:
        size, of = len(value), "length"
    else:
        size, of = value, "value"
    if "min" in limits and size < limits["min"]:
        yield _say(value, path, f"Member must have {of} greater than or equal to {limits['min']}")
    if "max" in limits and size > limits["max"]:
        yield _say(value, path, f"Member must have {of} less than or equal to {limits['max']}")
    choices = limits.get("enum")
    if choices and value not in choices:
        yield _say(value, path, f"Member must satisfy enum value set: [{', '.join(choices)}]")
    pattern = _compiled(limits["pattern"]) if "pattern" in limits else None
    if pattern and not pattern.fullmatch(value):
        yield _say(value, path, f"Member must satisfy regular expression pattern: {limits['pattern']}")


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern of the model; none where it says, in Java's language, what Python's cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return re.compile(pattern)
        except re.error:
            return None


def _say(value: object, path: str, constraint: str) -> str:
    # A variable may hold a token, so its value stays out of the message.
    shown = "null" if value is None else "(hidden)" if ".environment." in path else f"'{value}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def _join(path: str, name: str) -> str:
    member = name[:1].lower() + name[1:]
    return f"{path}.{member}" if path else member
