"""Checks of routing: whether the chosen strategy can do its work on this fleet and this engine (WR1..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.environment import flag, number
from warmroute.hosting.models import Model
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.variants import ProductionVariant
from warmroute.routing_strategy import RoutingStrategy
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_STRATEGY = "routing_config.routing_strategy"


@rule("WR103", Severity.WARNING, on=ProductionVariant, source="botocore RoutingStrategy: two or more instances")
def needs_two_instances(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Prefix-aware routing acts only where two or more instances can serve the request."""
    if not variant.is_prefix_aware or variant.serverless_config:
        return
    fewest, at = _fewest_instances(variant, spec)
    if fewest < 2:
        yield problem(
            at,
            f"PREFIX_AWARE does nothing while fewer than 2 instances serve, and this variant may have {fewest}.",
            "Keep at least two instances, or use LEAST_OUTSTANDING_REQUESTS.",
        )


def _fewest_instances(variant: ProductionVariant, spec: EndpointSpec) -> tuple[int, str]:
    """The smallest number of instances that the variant may run with, and the field that says so."""
    for scaling in spec.auto_scaling or ():
        if scaling.variant_name == variant.name:
            return scaling.min_capacity, ""
    managed = variant.managed_instance_scaling
    if managed and managed.status != "DISABLED" and managed.min_instance_count is not None:
        return managed.min_instance_count, "managed_instance_scaling.min_instance_count"
    return variant.initial_instance_count or 1, "initial_instance_count"


@rule(
    "WR104",
    Severity.WARNING,
    on=ProductionVariant,
    source="sagemaker-runtime model: no PrefixAwareId on InvokeEndpointAsync",
)
def not_for_asynchronous_endpoints(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Prefix-aware and KV-aware routing are described for real-time endpoints only."""
    if spec.async_inference_config and variant.routing_strategy in _AWARE:
        yield problem(
            _STRATEGY,
            f"{variant.routing_strategy} on an asynchronous endpoint is not documented.",
            "Use LEAST_OUTSTANDING_REQUESTS, or a real-time endpoint.",
        )


@rule("WR105", Severity.WARNING, on=ProductionVariant, source="vLLM --enable-prefix-caching")
def needs_prefix_caching(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Sending alike requests to one instance gains nothing when its engine keeps no KV blocks."""
    off = any(flag(variables, "enable_prefix_caching") is False for variables in spec.environments(variant))
    if off and variant.routing_strategy in _AWARE:
        yield problem(
            _STRATEGY,
            f"{variant.routing_strategy} with prefix caching off in the engine finds no warm cache.",
            "Leave enable_prefix_caching on (vLLM's default), or use LEAST_OUTSTANDING_REQUESTS.",
        )


@rule("WR106", Severity.WARNING, on=ProductionVariant, source="vLLM --max-num-seqs: further requests wait")
def threshold_within_the_engine(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Above the engine's own limit requests queue on the busy instance before any of them overflows."""
    settings = variant.prefix_aware_routing_config
    known = (number(variables, "max_num_seqs") for variables in spec.environments(variant))
    limits = [limit for limit in known if limit]
    if settings and limits and settings.concurrency_threshold > min(limits):
        yield problem(
            "routing_config.prefix_aware_routing_config.concurrency_threshold",
            f"{settings.concurrency_threshold} is above the engine's max_num_seqs of {min(limits)}.",
            f"Use at most {min(limits)}, or raise max_num_seqs.",
        )


@rule("WR107", Severity.WARNING, on=ProductionVariant, source="SageMaker developer guide: multi-model endpoints")
def not_for_multi_model_containers(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """A multi-model endpoint already routes by the model that an instance has loaded."""
    model = spec.model_named(variant.model_name)
    many = isinstance(model, Model) and any(each.mode == "MultiModel" for each in model.all_containers)
    if many and variant.routing_strategy in _AWARE:
        yield problem(
            _STRATEGY,
            f"{variant.routing_strategy} together with a multi-model container is not documented.",
            "Use inference components for several models, or leave routing_config out.",
        )


@rule(
    "WR108",
    Severity.WARNING,
    on=EndpointSpec,
    source="botocore InferenceComponentPlacementStrategy; RoutingStrategy: two or more instances",
)
def copies_on_several_instances(spec: EndpointSpec) -> Iterator[Problem]:
    """Copies that are packed onto one instance leave prefix-aware routing nothing to choose from."""
    aware = {variant.name for variant in spec.variants if variant.is_prefix_aware}
    for position, component in enumerate(spec.inference_components or ()):
        on_aware = component.variant_name in aware if component.variant_name else bool(aware)
        for at, each in component.specifications_by_path:
            if on_aware and each.scheduling_config and each.scheduling_config.placement_strategy == "BINPACK":
                yield problem(
                    f"inference_components[{position}].{at}.scheduling_config.placement_strategy",
                    "BINPACK puts copies on as few instances as possible; PREFIX_AWARE acts on two or more instances.",
                    "Use SPREAD.",
                )


_AWARE = {RoutingStrategy.PREFIX_AWARE, RoutingStrategy.KV_AWARE}
