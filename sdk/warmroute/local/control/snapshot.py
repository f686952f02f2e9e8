"""What the data plane needs to know of an endpoint, at the moment of a request."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.control.components import InferenceComponent
    from warmroute.local.control.deployments import Deployment, Variant
    from warmroute.local.control.endpoints import Endpoint
    from warmroute.local.control.registry import Registry


@dataclass(frozen=True, slots=True)
class VariantState:
    """A variant in force."""

    name: str
    weight: float
    instance_count: int
    """Instances that serve now; 0 for a serverless variant."""

    is_serverless: bool
    instance_type: str | None
    """Of the preferred pool where the variant has pools; none for a serverless variant."""

    routing_config: Mapping[str, Any] | None
    """As the endpoint configuration gives it; none means RANDOM."""

    model_name: str | None
    """None where inference components run on the variant."""

    model_image: str | None
    model_environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ComponentState:
    """An inference component as it serves now."""

    name: str
    status: str
    variant_name: str
    copy_count: int
    """Copies that serve now; an adapter has those of its base."""

    base: str | None
    """The component that an adapter is loaded into; none for a component of its own."""

    serial: int
    """Changes with what the copies run, and differs from that of every other component, of the same name too."""

    model_name: str | None
    image: str | None
    artifact_url: str | None
    environment: Mapping[str, str]
    """Of the model and of the specification, which wins; an adapter's own only."""


@dataclass(frozen=True, slots=True)
class EndpointState:
    """An endpoint as it serves now."""

    name: str
    status: str
    endpoint_config_name: str
    deployment_serial: int
    """Changes with every deployment, whose instances are new; 0 until the first has succeeded."""

    variants: tuple[VariantState, ...]
    """Empty until the first deployment has succeeded."""

    shadow_variants: tuple[VariantState, ...]
    components: tuple[ComponentState, ...]


def state_of(registry: Registry, name: str) -> EndpointState | None:
    """An endpoint as it serves now; cheap enough for every request.

    Args:
        registry: The account and region.
        name: The endpoint's name, in the case in which it was created.

    Returns:
        The same object until something changes; none when there is no such endpoint.
    """
    if registry.agenda.next_due > registry.clock.now():
        known = registry.snapshots.get(name)
        if known is not None:
            return known
    with registry.lock:
        registry.settle()
        endpoint = registry.endpoints.get(name)
        if endpoint is None:
            return None
        return registry.snapshots.setdefault(name, _endpoint_state(registry, endpoint))


def future_state(
    registry: Registry, endpoint: Endpoint, deployment: Deployment, *changed: InferenceComponent
) -> EndpointState:
    """An endpoint as it shall be, with every instance that is wanted.

    Args:
        registry: The account and region.
        endpoint: The endpoint.
        deployment: What shall be in force.
        changed: Components that change, as they shall be.
    """
    as_they_are = {each.name: each for each in registry.components.values() if each.endpoint is endpoint}
    components = as_they_are | {each.name: each for each in changed}
    return EndpointState(
        name=endpoint.name,
        status=endpoint.status,
        endpoint_config_name=deployment.config.name,
        deployment_serial=deployment.serial,
        variants=tuple(_variant_state(each, each.desired_instance_count) for each in deployment.variants),
        shadow_variants=(),
        components=tuple(_component_state(each, wanted=each in changed) for each in components.values()),
    )


def _endpoint_state(registry: Registry, endpoint: Endpoint) -> EndpointState:
    live = endpoint.live
    variants, shadow_variants = (live.variants, live.shadow_variants) if live else ((), ())
    return EndpointState(
        name=endpoint.name,
        status=endpoint.status,
        endpoint_config_name=endpoint.config.name,
        deployment_serial=live.serial if live else 0,
        variants=tuple(_variant_state(each, each.current_instance_count) for each in variants),
        shadow_variants=tuple(_variant_state(each, each.current_instance_count) for each in shadow_variants),
        components=tuple(_component_state(each) for each in registry.components.values() if each.endpoint is endpoint),
    )


def _variant_state(variant: Variant, count: int) -> VariantState:
    settings = variant.settings
    container = variant.model.container if variant.model else {}
    routing = settings.get("RoutingConfig")
    return VariantState(
        name=variant.name,
        weight=variant.current_weight,
        instance_count=count,
        is_serverless=variant.serverless is not None,
        instance_type=variant.pools[0]["InstanceType"] if variant.pools else settings.get("InstanceType"),
        routing_config=MappingProxyType(routing) if routing else None,
        model_name=variant.model.name if variant.model else None,
        model_image=container.get("Image"),
        model_environment=MappingProxyType(container.get("Environment", {})),
    )


def _component_state(component: InferenceComponent, *, wanted: bool = False) -> ComponentState:
    specification = component.specifications[0].get("Container", {})
    container = component.model.container if component.model and component.base is None else {}
    serving = component.base or component
    return ComponentState(
        name=component.name,
        status=component.status,
        variant_name=component.variant_name,
        copy_count=serving.desired_copy_count if wanted else serving.current_copy_count,
        base=component.base.name if component.base else None,
        serial=component.serial,
        model_name=component.model.name if component.model else None,
        image=specification.get("Image", container.get("Image")),
        artifact_url=specification.get("ArtifactUrl", container.get("ModelDataUrl")),
        environment=MappingProxyType({**container.get("Environment", {}), **specification.get("Environment", {})}),
    )
