"""A resource of a rendering as a typed L1 construct."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from aws_cdk.aws_applicationautoscaling import CfnScalableTarget, CfnScalingPolicy
from aws_cdk.aws_sagemaker import CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel

from warmroute.render.resource import FREE_KEYS, Kind
from warmroute.render.unsupported import UnsupportedByTargetError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import CfnResource
    from constructs import Construct

L1_CLASSES: Mapping[Kind, type[CfnResource]] = {
    Kind.MODEL: CfnModel,
    Kind.ENDPOINT_CONFIG: CfnEndpointConfig,
    Kind.ENDPOINT: CfnEndpoint,
    Kind.INFERENCE_COMPONENT: CfnInferenceComponent,
    Kind.SCALABLE_TARGET: CfnScalableTarget,
    Kind.SCALING_POLICY: CfnScalingPolicy,
}
"""The construct of each kind of resource."""


def create(scope: Construct, id: str, kind: Kind, properties: Mapping[str, Any]) -> CfnResource:  # noqa: A002
    """Make the L1 construct of a resource.

    Args:
        scope: Where it belongs.
        id: Its id there.
        kind: What it is.
        properties: Its properties under AWS's names; values may be tokens.

    Raises:
        UnsupportedByTargetError: The installed aws-cdk-lib does not know a property, and would drop it.
    """
    construct = L1_CLASSES[kind]
    return construct(scope, id, **_arguments(construct, properties, str(kind)))


def typed_property(kind: Kind, name: str, value: Any) -> Any:
    """The value of one property as the L1 construct of a kind takes it, for a property that is set later.

    Args:
        kind: What the resource is.
        name: The property under AWS's name.
        value: Its value under AWS's names.
    """
    (typed,) = _arguments(L1_CLASSES[kind], {name: value}, str(kind)).values()
    return typed


def known_property(kind: Kind, path: str) -> bool:
    """Whether the installed aws-cdk-lib knows a property.

    Args:
        kind: What the resource is.
        path: The property under AWS's names, without positions: ``ProductionVariants.RoutingConfig``.
    """
    struct: type | None = L1_CLASSES[kind]
    for name in path.split("."):
        if struct is None or name.lower() not in _parameters(struct):
            return False
        _, struct = _parameters(struct)[name.lower()]
    return True


def _arguments(struct: type, properties: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Properties under AWS's names as the keyword arguments of a construct or of one of its structs."""
    known = _parameters(struct)
    arguments: dict[str, Any] = {}
    for name, value in properties.items():
        where = f"{path}.{name}"
        if name.lower() not in known:
            target = f"aws-cdk-lib {version('aws-cdk-lib')}"
            raise UnsupportedByTargetError(target, where, "the CDK's construct has no such property")
        parameter, held = known[name.lower()]
        arguments[parameter] = value if held is None or name in FREE_KEYS else _typed(held, value, where)
    return arguments


def _typed(struct: type, value: Any, path: str) -> Any:
    if isinstance(value, list):
        return [_typed(struct, item, f"{path}[{position}]") for position, item in enumerate(value)]
    return struct(**_arguments(struct, value, path)) if isinstance(value, dict) else value


@cache
def _parameters(struct: type) -> dict[str, tuple[str, type | None]]:
    """Parameters by their AWS names in lower case, each with the struct that its value is made of.

    The case is left out because AWS and the CDK do not agree on it: ``VolumeSizeInGB``, ``volume_size_in_gb``.
    """
    # A construct's base class has a signature of its own, so its constructor is asked rather than the class.
    hints = get_type_hints(struct.__init__)  # type: ignore[misc]
    return {name.replace("_", ""): (name, _struct_in(hint)) for name, hint in hints.items()}


def _struct_in(hint: Any) -> type | None:
    """The struct that a type names, alone or as the item of a list."""
    if isinstance(hint, type) and hasattr(hint, "__jsii_name_mapping__"):
        return hint
    return next((found for part in get_args(hint) if (found := _struct_in(part))), None)
