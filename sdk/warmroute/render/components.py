"""Inference components and adapters as CreateInferenceComponent takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.hosting.tags import as_tag_list
from warmroute.render.models import model_reference
from warmroute.render.resource import Kind, Ref, Resource

if TYPE_CHECKING:
    from warmroute.hosting import ComponentSpecification, EndpointSpec, InferenceComponent


def components(spec: EndpointSpec) -> list[Resource]:
    """The components of a spec, adapters after the components that they are loaded into.

    Args:
        spec: The spec.
    """
    ordered = sorted(spec.inference_components or (), key=lambda component: component.base is not None)
    return [_component(component, spec) for component in ordered]


def _component(component: InferenceComponent, spec: EndpointSpec) -> Resource:
    given = component.to_aws()
    defaults: dict[str, Any] = {"Tags": as_tag_list(spec.tags or {})}
    if component.base is None:
        defaults |= {"VariantName": spec.variants[0].name, "RuntimeConfig": {"CopyCount": 1}}
    if component.specification:
        given["Specification"] = _specification(component.specification, spec)
    if component.specifications:
        given["Specifications"] = [_specification(each, spec) for each in component.specifications]
    properties = {"EndpointName": Ref(Kind.ENDPOINT), **defaults, **given}
    guardrails = properties.pop("DeploymentConfig", None)
    return Resource(
        Kind.INFERENCE_COMPONENT,
        {name: properties[name] for name in _ORDER if properties.get(name)},
        component.name,
        on_update={"DeploymentConfig": guardrails} if guardrails else {},
    )


_ORDER = (
    "InferenceComponentName",
    "EndpointName",
    "VariantName",
    "Specification",
    "Specifications",
    "RuntimeConfig",
    "Tags",
)


def _specification(specification: ComponentSpecification, spec: EndpointSpec) -> dict[str, Any]:
    properties = specification.to_aws()
    if specification.base_inference_component_name is not None:
        base = Ref(Kind.INFERENCE_COMPONENT, specification.base_inference_component_name)
        return {**properties, "BaseInferenceComponentName": base}
    if specification.container is not None:
        return properties
    return {"ModelName": model_reference(spec, specification.model_name), **_without(properties, "ModelName")}


def _without(properties: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if key != name}
