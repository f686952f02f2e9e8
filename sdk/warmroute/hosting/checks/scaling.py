"""Checks of managed instance scaling and auto scaling (WR5..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.scaling import COMPONENT_METRICS, VARIANT_METRICS, AutoScaling, ManagedInstanceScaling
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.variants import ProductionVariant
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_REGISTER = "Application Auto Scaling: RegisterScalableTarget"


@rule(
    "WR501",
    Severity.ERROR,
    on=ManagedInstanceScaling,
    source="botocore ProductionVariantManagedInstanceScaling; inferred: a range",
)
def managed_from_least_to_most(scaling: ManagedInstanceScaling) -> Iterator[Problem]:
    """The fewest instances cannot be more than the most."""
    least, most = scaling.min_instance_count, scaling.max_instance_count
    if least is not None and most is not None and least > most:
        yield problem("min_instance_count", f"{least} is above max_instance_count of {most}.", "Swap or lower it.")


@rule("WR502", Severity.ERROR, on=ProductionVariant, source="inferred: Min <= Initial <= Max")
def initial_within_managed_range(variant: ProductionVariant) -> Iterator[Problem]:
    """A fleet starts with a number of instances that its scaling allows."""
    scaling, initial = variant.managed_instance_scaling, variant.initial_instance_count
    if scaling is None or initial is None:
        return
    least, most = scaling.min_instance_count or 0, scaling.max_instance_count
    if initial < least or (most is not None and initial > most):
        yield problem(
            "initial_instance_count",
            f"{initial} is outside managed_instance_scaling of {least} to {most if most is not None else 'any'}.",
            "Start within that range.",
        )


@rule(
    "WR503",
    Severity.WARNING,
    on=ProductionVariant,
    source="SageMaker developer guide: scale to zero needs inference components",
)
def zero_instances_need_components(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """Only a variant that hosts inference components can scale to no instance at all."""
    scaling = variant.managed_instance_scaling
    if scaling and scaling.min_instance_count == 0 and not spec.serves_components:
        yield problem(
            "managed_instance_scaling.min_instance_count",
            "0 has an effect only with inference components.",
            "Use at least 1, or serve the model as an inference component.",
        )


@rule("WR504", Severity.ERROR, on=AutoScaling, source=_REGISTER)
def one_thing_scaled(scaling: AutoScaling) -> Iterator[Problem]:
    """A scalable target is the instances of a variant or the copies of a component."""
    if (scaling.variant_name is None) == (scaling.inference_component_name is None):
        yield problem(
            "", "One scaling scales one thing.", "Give exactly one of variant_name and inference_component_name."
        )


@rule("WR505", Severity.ERROR, on=AutoScaling, source=_REGISTER)
def from_least_to_most(scaling: AutoScaling) -> Iterator[Problem]:
    """The least capacity cannot be above the most."""
    if scaling.min_capacity > scaling.max_capacity:
        yield problem(
            "min_capacity",
            f"{scaling.min_capacity} is above max_capacity of {scaling.max_capacity}.",
            "Swap or lower it.",
        )


@rule(
    "WR506", Severity.ERROR, on=AutoScaling, source="Application Auto Scaling: variants scale to at least one instance"
)
def at_least_one_instance(scaling: AutoScaling) -> Iterator[Problem]:
    """The instances of a variant cannot be scaled to zero; the copies of a component can."""
    if scaling.variant_name is not None and scaling.min_capacity < 1:
        yield problem("min_capacity", "0 is below 1 instance.", "Use at least 1, or scale an inference component to 0.")


@rule("WR507", Severity.ERROR, on=AutoScaling, source="botocore application-autoscaling MetricType")
def metric_of_the_target(scaling: AutoScaling) -> Iterator[Problem]:
    """A metric of variants says nothing about a component, and the other way round."""
    allowed = COMPONENT_METRICS if scaling.inference_component_name else VARIANT_METRICS
    if scaling.metric is not None and scaling.metric not in allowed:
        yield problem(
            "target_tracking.predefined_metric_type",
            f"{scaling.metric} does not measure what is scaled here.",
            f"Allowed: {', '.join(allowed)}.",
        )


@rule("WR508", Severity.ERROR, on=EndpointSpec, source=_REGISTER)
def scaled_things_exist(spec: EndpointSpec) -> Iterator[Problem]:
    """What is scaled must be part of the endpoint, and may be scaled once."""
    variants = [variant.name for variant in spec.variants]
    components = [component.name for component in spec.inference_components or () if component.base is None]
    seen: set[str | None] = set()
    for position, scaling in enumerate(spec.auto_scaling or ()):
        of_component = scaling.inference_component_name is not None
        field = "inference_component_name" if of_component else "variant_name"
        name, known = getattr(scaling, field), components if of_component else variants
        if name is not None and name not in known:
            yield problem(
                f"auto_scaling[{position}].{field}",
                f"{name!r} is not part of this spec.",
                f"Known: {', '.join(known) or 'none'}.",
            )
        if f"{field}:{name}" in seen:
            yield problem(f"auto_scaling[{position}].{field}", f"{name!r} is scaled twice.", "Keep one of the two.")
        seen.add(f"{field}:{name}")


@rule(
    "WR509",
    Severity.WARNING,
    on=EndpointSpec,
    source="Application Auto Scaling: capacity outside the range is corrected at once",
)
def initial_within_scaled_range(spec: EndpointSpec) -> Iterator[Problem]:
    """A fleet that starts outside its range is scaled the moment the range is registered."""
    ranges = {scaling.variant_name: scaling for scaling in spec.auto_scaling or () if scaling.variant_name}
    for position, variant in enumerate(spec.variants):
        scaling, initial = ranges.get(variant.name), variant.initial_instance_count
        if scaling and initial is not None and not scaling.min_capacity <= initial <= scaling.max_capacity:
            yield problem(
                f"variants[{position}].initial_instance_count",
                f"{initial} is outside auto_scaling of {scaling.min_capacity} to {scaling.max_capacity}.",
                "Start within that range.",
            )


@rule(
    "WR510",
    Severity.ERROR,
    on=EndpointSpec,
    source="SageMaker developer guide: managed instance scaling and auto scaling of one variant",
)
def one_scaler_a_variant(spec: EndpointSpec) -> Iterator[Problem]:
    """Two scalers of one fleet undo each other's work."""
    scaled = {scaling.variant_name for scaling in spec.auto_scaling or ()}
    for position, variant in enumerate(spec.variants):
        managed = variant.managed_instance_scaling
        if managed and managed.status != "DISABLED" and variant.name in scaled:
            yield problem(
                f"variants[{position}].managed_instance_scaling",
                "The variant's instances are also scaled by auto_scaling.",
                "Keep auto_scaling for a model, managed_instance_scaling for inference components.",
            )


@rule(
    "WR511",
    Severity.WARNING,
    on=AutoScaling,
    source="SageMaker developer guide: scale to zero; NoCapacityInvocationFailures",
)
def something_wakes_it_up(scaling: AutoScaling) -> Iterator[Problem]:
    """Target tracking cannot raise a component from zero copies, since there is no traffic to measure."""
    if scaling.inference_component_name is not None and scaling.min_capacity == 0:
        yield problem(
            "min_capacity",
            "From 0 copies only a step policy on NoCapacityInvocationFailures scales out; the spec makes none.",
            "Use at least 1, or add that policy and its alarm yourself.",
        )


@rule(
    "WR512",
    Severity.WARNING,
    on=EndpointSpec,
    source="botocore UpdateEndpointInput: RetainAllVariantProperties defaults to false",
)
def scaled_counts_are_kept(spec: EndpointSpec) -> Iterator[Problem]:
    """An update that does not retain variant properties sets a scaled fleet back to its initial count."""
    if spec.auto_scaling and spec.retain_all_variant_properties is False:
        yield problem(
            "retain_all_variant_properties",
            "false sets scaled fleets back to initial_instance_count at each update.",
            "Leave it out; it is true where something is scaled.",
        )


@rule("WR513", Severity.ERROR, on=EndpointSpec, source="Application Auto Scaling: DesiredProvisionedConcurrency")
def metric_of_a_serverless_variant(spec: EndpointSpec) -> Iterator[Problem]:
    """Only provisioned concurrency of a serverless variant can be scaled, by its utilisation."""
    utilisation = "SageMakerVariantProvisionedConcurrencyUtilization"
    serverless = {variant.name for variant in spec.variants if variant.serverless_config}
    for position, scaling in enumerate(spec.auto_scaling or ()):
        if scaling.variant_name is None or scaling.metric is None:
            continue
        at = f"auto_scaling[{position}].target_tracking.predefined_metric_type"
        if scaling.variant_name in serverless and scaling.metric != utilisation:
            yield problem(at, f"{scaling.metric} does not measure a serverless variant.", f"Use {utilisation}.")
        if scaling.variant_name not in serverless and scaling.metric == utilisation:
            yield problem(at, f"{utilisation} measures serverless variants only.", f"Use {VARIANT_METRICS[0]}.")
