"""What of a spec can be watched: its variants and components, and the metrics that each has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.hosting import VllmContainer, instance
from warmroute_cdk.endpoint_metrics import ComponentMetrics, VariantMetrics

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec, InferenceComponent, ProductionVariant


@dataclass(frozen=True, slots=True)
class WatchedVariant:
    """A production variant, or the shadow variant."""

    variant: ProductionVariant
    metrics: VariantMetrics
    takes_requests: bool
    """Whether it serves requests itself, rather than through inference components."""

    takes_traffic: bool
    """Whether callers get its answers; those of a shadow variant are dropped."""

    serves_vllm: bool
    """Whether every container known to serve it is vLLM's, and may publish its metrics."""

    may_scale: bool
    """Whether its number of instances changes by itself."""

    @property
    def name(self) -> str:
        """What graphs call it."""
        return self.variant.name

    @property
    def threshold(self) -> int | None:
        """``concurrency_threshold`` of prefix-aware routing, or None."""
        return _threshold(self.variant)

    @property
    def has_instances(self) -> bool:
        """Whether there are instances to measure: a serverless variant has none."""
        return bool(self.variant.instance_types)

    @property
    def gpu_count(self) -> int | None:
        """GPUs of an instance; None where instance types differ, or have none or are not known."""
        known = [instance(name) for name in self.variant.instance_types]
        counts = {each.gpu_count if each else None for each in known}
        return counts.pop() if len(counts) == 1 else None

    @property
    def several_instances(self) -> bool:
        """Whether there is more than one instance to choose from."""
        return self.has_instances and (self.may_scale or (self.variant.initial_instance_count or 1) > 1)


@dataclass(frozen=True, slots=True)
class WatchedComponent:
    """An inference component, or an adapter."""

    component: InferenceComponent
    metrics: ComponentMetrics
    variant: ProductionVariant
    serves_vllm: bool
    copies_at_least: int
    copies_at_most: int

    @property
    def name(self) -> str:
        """What graphs call it."""
        return self.component.name

    @property
    def uses_gpus(self) -> bool:
        """Whether a copy has GPUs of its own."""
        needs = [each.compute_resource_requirements for each in self.component.all_specifications]
        return any(each and each.number_of_accelerator_devices_required for each in needs)

    @property
    def scales_to_zero(self) -> bool:
        """Whether there may be no copy of it, by design."""
        return self.copies_at_least == 0

    @property
    def is_adapter(self) -> bool:
        """Whether it is loaded into another component, and has no copies of its own."""
        return self.component.base is not None

    @property
    def threshold(self) -> int | None:
        """``concurrency_threshold`` of prefix-aware routing, which counts per copy, or None."""
        return _threshold(self.variant)


def watched_variants(spec: EndpointSpec, endpoint_name: str) -> list[WatchedVariant]:
    """The variants of a spec, the shadow variant last.

    Args:
        spec: The spec.
        endpoint_name: Name of the endpoint; may be a token.
    """
    scaled = {each.variant_name for each in spec.auto_scaling or ()}
    return [
        WatchedVariant(
            variant=variant,
            metrics=VariantMetrics(endpoint_name, variant.name),
            takes_requests=not spec.serves_components,
            takes_traffic=variant in spec.variants,
            serves_vllm=not spec.serves_components and isinstance(spec.model_named(variant.model_name), VllmContainer),
            may_scale=variant.name in scaled or _manages_itself(variant),
        )
        for variant in spec.all_variants
    ]


def watched_components(spec: EndpointSpec) -> list[WatchedComponent]:
    """The inference components of a spec, adapters too.

    Args:
        spec: The spec.
    """
    components = {each.name: each for each in spec.inference_components or ()}
    variants = {each.name: each for each in spec.variants}
    scaled = {each.inference_component_name: each for each in spec.auto_scaling or ()}
    watched = []
    for component in components.values():
        base = components.get(component.base or "", component)
        copies = base.runtime_config.copy_count if base.runtime_config else 1
        scaling = scaled.get(base.name)
        watched.append(
            WatchedComponent(
                component=component,
                metrics=ComponentMetrics(component.name),
                variant=variants.get(base.variant_name or "", spec.variants[0]),
                serves_vllm=bool(base.all_specifications)
                and all(
                    each.container is None and isinstance(spec.model_named(each.model_name), VllmContainer)
                    for each in base.all_specifications
                ),
                copies_at_least=scaling.min_capacity if scaling else copies,
                copies_at_most=scaling.max_capacity if scaling else copies,
            )
        )
    return watched


def enhanced(spec: EndpointSpec) -> bool:
    """Whether there are series per instance.

    Args:
        spec: The spec.
    """
    return bool(spec.metrics_config and spec.metrics_config.enable_enhanced_metrics)


def detailed(spec: EndpointSpec) -> bool:
    """Whether vLLM's own metrics reach CloudWatch, for PromQL; SageMaker's default is that they do.

    Args:
        spec: The spec.
    """
    return not (spec.metrics_config and spec.metrics_config.enable_detailed_observability is False)


def _threshold(variant: ProductionVariant) -> int | None:
    settings = variant.prefix_aware_routing_config
    return settings.concurrency_threshold if settings else None


def _manages_itself(variant: ProductionVariant) -> bool:
    scaling = variant.managed_instance_scaling
    return scaling is not None and scaling.status == "ENABLED"
