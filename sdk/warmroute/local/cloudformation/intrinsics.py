"""CloudFormation's functions: what a value of a template comes to."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any, Protocol

from warmroute.local.cloudformation.refusals import invalid, template_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NO_VALUE = object()
"""What ``AWS::NoValue`` refers to: whatever has it is left out."""


class Scope(Protocol):
    """What the functions of a template can refer to."""

    def reference(self, name: str) -> Any:
        """The value of a parameter or pseudo parameter, or the physical id of a resource."""

    def attribute(self, logical_id: str, name: str) -> Any:
        """An attribute of a resource."""

    def condition(self, name: str) -> bool:
        """Whether a condition holds."""

    def mapping(self, name: str, first: str, second: str) -> Any:
        """A value of a mapping."""

    def imported(self, name: str) -> str:
        """What another stack exports under a name."""


def evaluate(value: Any, scope: Scope) -> Any:
    """What a value of a template comes to.

    Args:
        value: The value, with functions in their long form.
        scope: What they refer to.

    Raises:
        RefusedError: A function is used as none can be, or refers to what does not exist.
    """
    if isinstance(value, list):
        return [item for item in (evaluate(each, scope) for each in value) if item is not NO_VALUE]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        name, argument = next(iter(value.items()))
        if name == "Ref":
            return scope.reference(argument)
        if str(name).startswith("Fn::"):
            return _call(name, argument, scope)
    made = {key: evaluate(each, scope) for key, each in value.items()}
    return {key: each for key, each in made.items() if each is not NO_VALUE}


def holds(condition: Any, scope: Scope) -> bool:
    """Whether what a template says of a condition is true."""
    if isinstance(condition, bool):
        return condition
    try:
        ((name, argument),) = condition.items()
        return _holds(name, argument, scope)
    except (TypeError, ValueError, IndexError, AttributeError):
        raise template_error(_NO_CONDITION) from None


def _holds(name: str, argument: Any, scope: Scope) -> bool:
    if name == "Condition":
        return scope.condition(argument)
    if name == "Fn::Equals":
        first, second = (evaluate(each, scope) for each in argument)
        return as_text(first) == as_text(second)
    if name == "Fn::Not":
        return not holds(argument[0], scope)
    if name in {"Fn::And", "Fn::Or"}:
        results = [holds(each, scope) for each in argument]
        return all(results) if name == "Fn::And" else any(results)
    raise template_error(_NO_CONDITION)


_NO_CONDITION = "Conditions can only be boolean operations on parameters and other conditions"


def references(value: Any) -> Iterator[tuple[str, str | None]]:
    """Every name that a value refers to, with the attribute where it wants one."""
    if isinstance(value, list):
        for each in value:
            yield from references(each)
    elif isinstance(value, dict):
        for name, argument in value.items():
            if name == "Ref" and isinstance(argument, str):
                yield argument, None
            elif name == "Fn::GetAtt":
                parts = _attribute_parts(argument)
                if isinstance(parts[1], str):
                    yield parts[0], parts[1]
                else:
                    yield parts[0], None
                    yield from references(parts[1])
            elif name == "Fn::Sub":
                yield from _sub_references(argument)
            else:
                yield from references(argument)


def taken(value: Any, scope: Scope) -> Any:
    """A value with, of every Fn::If, the branch that its condition takes; nothing else is evaluated.

    Args:
        value: The value, with functions in their long form.
        scope: What has the conditions.
    """
    if isinstance(value, list):
        return [taken(each, scope) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"Fn::If"}:
        name, then, otherwise = value["Fn::If"]
        return taken(then if scope.condition(name) else otherwise, scope)
    return {key: taken(each, scope) for key, each in value.items()}


def _sub_references(argument: Any) -> Iterator[tuple[str, str | None]]:
    text, values = argument if isinstance(argument, list) else (argument, {})
    yield from references(values)
    for name in _SUB.findall(text):
        if name.strip() not in values and not name.startswith("!"):
            logical_id, _, attribute = name.strip().partition(".")
            yield logical_id, attribute or None


def _call(name: str, argument: Any, scope: Scope) -> Any:
    function = _FUNCTIONS.get(name)
    if function is None:
        raise template_error(f"Unrecognized function: {name} (the local endpoint knows {', '.join(_FUNCTIONS)})")
    try:
        return function(argument, scope)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        raise invalid(f"Template error: {name} cannot take {json.dumps(argument, default=str)[:200]}.") from None


def _get_att(argument: Any, scope: Scope) -> Any:
    logical_id, attribute = _attribute_parts(argument)
    return scope.attribute(logical_id, evaluate(attribute, scope))


def _attribute_parts(argument: Any) -> tuple[str, Any]:
    if isinstance(argument, str):
        logical_id, _, attribute = argument.partition(".")
        return logical_id, attribute
    if len(argument) > 2 and all(isinstance(part, str) for part in argument):
        return argument[0], ".".join(argument[1:])
    return argument[0], argument[1]


def _if(argument: Any, scope: Scope) -> Any:
    name, then, otherwise = argument
    return evaluate(then if scope.condition(name) else otherwise, scope)


def _join(argument: Any, scope: Scope) -> str:
    separator, parts = argument
    joined = evaluate(parts, scope)
    if not isinstance(joined, list):
        raise TypeError
    return str(separator).join(as_text(part) for part in joined)


def _split(argument: Any, scope: Scope) -> list[str]:
    separator, text = argument
    return str(evaluate(text, scope)).split(separator)


def _select(argument: Any, scope: Scope) -> Any:
    index, choices = (evaluate(each, scope) for each in argument)
    if int(index) < 0 or not isinstance(choices, list):
        raise ValueError
    return choices[int(index)]


def _sub(argument: Any, scope: Scope) -> str:
    text, values = argument if isinstance(argument, list) else (argument, {})

    def replace(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name.startswith("!"):
            return f"${{{name[1:]}}}"
        if name in values:
            return as_text(evaluate(values[name], scope))
        logical_id, _, attribute = name.partition(".")
        return as_text(scope.attribute(logical_id, attribute) if attribute else scope.reference(name))

    return _SUB.sub(replace, text)


def _find_in_map(argument: Any, scope: Scope) -> Any:
    name, first, second = (evaluate(each, scope) for each in argument[:3])
    try:
        return scope.mapping(name, str(first), str(second))
    except KeyError:
        if len(argument) > 3 and "DefaultValue" in argument[3]:
            return evaluate(argument[3]["DefaultValue"], scope)
        raise template_error(f"Unable to get mapping for {name}::{first}::{second}") from None


def _zones(argument: Any, scope: Scope) -> list[str]:
    region = evaluate(argument, scope) or scope.reference("AWS::Region")
    return [f"{region}{letter}" for letter in "abc"]


def as_text(value: Any) -> str:
    """A value as the text that it is where only text can be.

    Args:
        value: The value.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    return str(value)


_SUB = re.compile(r"\$\{([^}]+)\}")

_FUNCTIONS: dict[str, Callable[[Any, Scope], Any]] = {
    "Fn::Base64": lambda argument, scope: base64.b64encode(str(evaluate(argument, scope)).encode()).decode(),
    "Fn::FindInMap": _find_in_map,
    "Fn::GetAtt": _get_att,
    "Fn::GetAZs": _zones,
    "Fn::If": _if,
    "Fn::ImportValue": lambda argument, scope: scope.imported(evaluate(argument, scope)),
    "Fn::Join": _join,
    "Fn::Length": lambda argument, scope: len(evaluate(argument, scope)),
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::Sub": _sub,
    "Fn::ToJsonString": lambda argument, scope: json.dumps(evaluate(argument, scope)),
}
