"""A spec as arguments of sagemaker-core's resources, made of its own shapes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from warmroute.errors import MissingExtraError
from warmroute.render.boto3_calls import Call, to_boto3
from warmroute.render.resource import FREE_KEYS
from warmroute.render.unsupported import UnsupportedByTargetError
from warmroute.rules import join_path

if TYPE_CHECKING:
    from types import ModuleType

    from warmroute.hosting import EndpointSpec


@dataclass(frozen=True, slots=True)
class Creation:
    """One resource of sagemaker-core, with the arguments that create it."""

    resource: type[Any]
    """Class of ``sagemaker.core.resources``: ``Model``, ``EndpointConfig``, ``Endpoint`` or ``InferenceComponent``."""

    arguments: dict[str, Any]
    """Keyword arguments of its ``create``: text, numbers and shapes of ``sagemaker.core.shapes``."""

    def create(self, **client: Any) -> Any:
        """Create the resource in AWS.

        Args:
            client: ``session`` and ``region``, as sagemaker-core takes them.

        Returns:
            The resource that sagemaker-core gives back.
        """
        return self.resource.create(**self.arguments, **client)

    def as_dict(self) -> dict[str, Any]:
        """The creation as plain values, with the fields that are set under sagemaker-core's names."""
        return {"resource": self.resource.__name__, "arguments": _plain(self.arguments)}


def to_sagemaker_core(spec: EndpointSpec, *, region: str | None = None) -> list[Creation | Call]:
    """What sagemaker-core needs to make an endpoint, in order.

    It has no resources for Application Auto Scaling, so scaling stays as boto3 calls at the end.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.

    Raises:
        MissingExtraError: sagemaker-core is not installed.
        UnsupportedByTargetError: sagemaker-core has no field for a setting, or would lose its value on the way to AWS.
        IncompleteSpecError: A role, or the region of an image, is not known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    return [_creation(call) if call.operation in _RESOURCES else call for call in to_boto3(spec, region=region)]


_RESOURCES = {
    "create_model": "Model",
    "create_endpoint_config": "EndpointConfig",
    "create_endpoint": "Endpoint",
    "create_inference_component": "InferenceComponent",
}


def _creation(call: Call) -> Creation:
    resources, utils = _sagemaker_core()
    name = _RESOURCES[call.operation]
    resource = getattr(resources, name)
    types = get_type_hints(inspect.unwrap(resource.create))
    arguments = {}
    for aws_name, value in call.parameters.items():
        argument = utils.pascal_to_snake(aws_name)
        path = join_path(name, aws_name)
        if argument not in types:
            raise UnsupportedByTargetError(_target(), path, "sagemaker-core has no such field")
        shape = _shape(types[argument], _snake_case(value, utils), path)
        _refuse_loss(value, utils.serialize(shape), path)
        arguments[argument] = shape
    return Creation(resource, arguments)


def _sagemaker_core() -> tuple[ModuleType, ModuleType]:
    try:
        from sagemaker.core import resources
        from sagemaker.core.utils import utils
    except ImportError as error:
        raise MissingExtraError("Rendering for sagemaker-core", "sagemaker") from error
    return resources, utils


def _target() -> str:
    from importlib.metadata import version

    return f"sagemaker-core {version('sagemaker-core')}"


def _snake_case(value: Any, utils: ModuleType) -> Any:
    if isinstance(value, dict):
        return {
            utils.pascal_to_snake(name): dict(held) if name in FREE_KEYS else _snake_case(held, utils)
            for name, held in value.items()
        }
    if isinstance(value, list):
        return [_snake_case(item, utils) for item in value]
    return value


def _shape(annotation: Any, value: Any, path: str) -> Any:
    try:
        return TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = join_path(path, *(part for part in first["loc"] if isinstance(part, int) or part.islower()))
        unknown = first["type"] == "extra_forbidden"
        reason = "sagemaker-core has no such field" if unknown else f"sagemaker-core does not take it: {first['msg']}"
        raise UnsupportedByTargetError(_target(), where, reason) from None


def _refuse_loss(ours: Any, theirs: Any, path: str) -> None:
    """Compare a value with what sagemaker-core would send of it: it drops 0 and false inside shapes, for example."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name, value in ours.items():
            _refuse_loss(value, theirs.get(name), join_path(path, name))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for position, (our, their) in enumerate(zip(ours, theirs, strict=True)):
            _refuse_loss(our, their, join_path(path, position))
    elif ours != theirs:
        raise UnsupportedByTargetError(_target(), path, f"sagemaker-core would send {theirs!r} instead of {ours!r}")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
