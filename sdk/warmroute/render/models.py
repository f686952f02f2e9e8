"""The models that a spec makes, and what is known of their images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.errors import IncompleteSpecError
from warmroute.hosting import VllmContainer
from warmroute.render.resource import Kind, Ref, Resource, UnsetRole

if TYPE_CHECKING:
    from warmroute.hosting import ContainerDefinition, EndpointSpec, Model

_INHERITED = ("ExecutionRoleArn", "VpcConfig", "EnableNetworkIsolation", "Tags")


def models(spec: EndpointSpec, region: str | None) -> list[Resource]:
    """The models to create: ``model`` where something serves it, and each of ``models``.

    Args:
        spec: The spec.
        region: Region of the endpoint; decides the registry of AWS's images.
    """
    made = {"": spec.model} if spec.model is not None and _default_serves(spec) else {}
    named = {**made, **(spec.models or {})}
    return [Resource(Kind.MODEL, _properties(model, spec, region), label) for label, model in named.items()]


def model_reference(spec: EndpointSpec, name: str | None) -> Ref | str:
    """What a variant or component serves: a model that the spec makes, or one of the account by its name.

    Args:
        spec: The spec.
        name: What the variant or component calls it; None means the spec's ``model``.
    """
    return name if name is not None and spec.model_named(name) is None else Ref(Kind.MODEL, name or "")


def images(model: VllmContainer | Model | None, region: str | None) -> list[str | None]:
    """The images of a model's containers; None stands for one that is not known here.

    Args:
        model: A model of the spec; None is one of the account.
        region: Region of the endpoint.
    """
    if model is None:
        return [None]
    if isinstance(model, VllmContainer):
        return [_definition(model, region).image]
    return [container.image for container in model.all_containers]


def _default_serves(spec: EndpointSpec) -> bool:
    if not spec.serves_components and any(variant.model_name is None for variant in spec.all_variants):
        return True
    return any(
        each.model_name is None and each.container is None
        for component in spec.inference_components or ()
        if component.base is None
        for each in component.all_specifications
    )


def _properties(model: VllmContainer | Model, spec: EndpointSpec, region: str | None) -> dict[str, Any]:
    if isinstance(model, VllmContainer):
        own = {"PrimaryContainer": _definition(model, region).to_aws()}
    else:
        own = model.to_aws()
    inherited = {"ExecutionRoleArn": UnsetRole(), **spec.to_aws()}
    properties = {**own, **{name: inherited[name] for name in _INHERITED if name in inherited and name not in own}}
    return {name: value for name, value in properties.items() if value != []}


def _definition(model: VllmContainer, region: str | None) -> ContainerDefinition:
    if region is None and model.image.uri is None and model.source.model_package is None:
        raise IncompleteSpecError(
            "region: AWS keeps its vLLM image in a registry of each region, and no region is known.",
            "Give the spec a region, or the image a uri.",
        )
    return model.definition(region or "")
