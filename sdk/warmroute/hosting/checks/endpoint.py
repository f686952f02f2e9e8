"""Checks of the endpoint as a whole (WR7..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.metrics import MetricsConfig
from warmroute.hosting.spec import EndpointSpec
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule(
    "WR701",
    Severity.ERROR,
    on=EndpointSpec,
    source="botocore CrossRegionTrafficConfig: not with serverless or asynchronous inference",
)
def cross_region_for_real_time_instances(spec: EndpointSpec) -> Iterator[Problem]:
    """Only a real-time endpoint on instances can send traffic to other regions."""
    if spec.cross_region_traffic_config is None:
        return
    if spec.async_inference_config or any(variant.serverless_config for variant in spec.variants):
        yield problem(
            "cross_region_traffic_config",
            "does not go with serverless_config or async_inference_config.",
            "Leave it out.",
        )


@rule(
    "WR702",
    Severity.WARNING,
    on=MetricsConfig,
    source="botocore MetricPublishFrequencyInSeconds: invocation metrics only with enhanced metrics",
)
def frequency_needs_enhanced_metrics(metrics: MetricsConfig) -> Iterator[Problem]:
    """Invocation metrics follow the frequency only where enhanced metrics are on."""
    if metrics.metric_publish_frequency_in_seconds not in {None, 60} and not metrics.enable_enhanced_metrics:
        yield problem(
            "metric_publish_frequency_in_seconds",
            "Invocation metrics keep 60 seconds while enable_enhanced_metrics is off.",
            "Turn enable_enhanced_metrics on.",
        )


@rule("WR703", Severity.ERROR, on=EndpointSpec, source="AWS tagging: keys beginning with aws: are reserved")
def no_reserved_tags(spec: EndpointSpec) -> Iterator[Problem]:
    """AWS keeps keys that begin with aws: for itself."""
    for key in spec.tags or ():
        if key.lower().startswith("aws:"):
            yield problem(f"tags.{key}", "is reserved by AWS.", "Use a key that does not begin with aws:.")


@rule("WR704", Severity.WARNING, on=EndpointSpec, source="nothing reads a model that nothing names")
def every_model_serves(spec: EndpointSpec) -> Iterator[Problem]:
    """A model that no variant and no component names is created for nothing."""
    used = {variant.model_name for variant in spec.all_variants}
    used |= {pool.model_name_override for variant in spec.all_variants for pool in variant.instance_pools or ()}
    used |= {each.model_name for component in spec.inference_components or () for each in component.all_specifications}
    for name in spec.models or ():
        if name not in used:
            yield problem(f"models.{name}", "is named by no variant and no component.", "Name it, or leave it out.")
