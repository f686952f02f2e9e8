"""A spec as the boto3 calls that make or update its endpoint."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from warmroute.errors import IncompleteSpecError
from warmroute.render.names import content_name
from warmroute.render.resource import NAME_PROPERTY, Joined, Kind, Ref, resolve
from warmroute.render.resources import resources

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec
    from warmroute.render.resource import Reference, Resource


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a boto3 client: ``getattr(session.client(service), operation)(**parameters)``."""

    service: str
    """Name of the client, ``sagemaker`` or ``application-autoscaling``."""

    operation: str
    """Method of the client, for example ``create_endpoint_config``."""

    parameters: dict[str, Any]
    """Its parameters: new plain values, which JSON can hold."""

    def as_dict(self) -> dict[str, Any]:
        """The call as plain values, for JSON output."""
        return asdict(self)


def to_boto3(spec: EndpointSpec, *, region: str | None = None, update: bool = False) -> list[Call]:
    """The calls that make an endpoint, in the order to make them.

    The endpoint must be in service before the first component or scalable target is made.

    Args:
        spec: The spec.
        region: Region of the endpoint, instead of the spec's own.
        update: Whether the endpoint exists: ``update_endpoint`` takes the place of ``create_endpoint``.

    Raises:
        IncompleteSpecError: A role, or the region of an image, is not known.
        InvalidSettingsError: AWS has no such image in the region.
    """
    calls: list[Call] = []
    names: dict[Ref, str] = {}
    for resource in resources(spec, region=region):
        parameters = resolve(resource.properties, partial(_plain, resource, names))
        if resource.kind in _NAMED_BY_CONTENT:
            name = content_name(spec.name, resource.ref, parameters)
            parameters = {NAME_PROPERTY[resource.kind]: name, **parameters}
        if resource.kind in NAME_PROPERTY:
            names[resource.ref] = parameters[NAME_PROPERTY[resource.kind]]
        calls.append(_call(resource, parameters, update=update))
    return calls


_NAMED_BY_CONTENT = frozenset({Kind.MODEL, Kind.ENDPOINT_CONFIG})

_OPERATIONS = {
    Kind.MODEL: ("sagemaker", "create_model"),
    Kind.ENDPOINT_CONFIG: ("sagemaker", "create_endpoint_config"),
    Kind.ENDPOINT: ("sagemaker", "create_endpoint"),
    Kind.INFERENCE_COMPONENT: ("sagemaker", "create_inference_component"),
    Kind.SCALABLE_TARGET: ("application-autoscaling", "register_scalable_target"),
    Kind.SCALING_POLICY: ("application-autoscaling", "put_scaling_policy"),
}


def _call(resource: Resource, parameters: dict[str, Any], *, update: bool) -> Call:
    service, operation = _OPERATIONS[resource.kind]
    if update and resource.kind is Kind.ENDPOINT:
        parameters.pop("Tags", None)  # UpdateEndpoint takes none.
        return Call(service, "update_endpoint", {**parameters, **resource.on_update})
    if resource.kind is Kind.SCALABLE_TARGET and "Tags" in parameters:
        # Application Auto Scaling takes a mapping, where SageMaker and CloudFormation take a list.
        parameters["Tags"] = {tag["Key"]: tag["Value"] for tag in parameters["Tags"]}
    return Call(service, operation, parameters)


def _plain(resource: Resource, names: dict[Ref, str], reference: Reference) -> str:
    match reference:
        case Ref():
            return names[reference]
        case Joined(parts):
            return "".join(names[part] if isinstance(part, Ref) else part for part in parts)
    if resource.kind is Kind.ENDPOINT_CONFIG:
        raise IncompleteSpecError(
            "execution_role_arn: variants that host inference components need a role, which their instances run with.",
            "Give the spec execution_role_arn.",
        )
    where = f"models.{resource.label}" if resource.label else "model"
    raise IncompleteSpecError(
        f"execution_role_arn: {where} needs a role, which its containers run with.",
        "Give the spec execution_role_arn, or the model one of its own.",
    )
