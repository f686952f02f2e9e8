"""Checks of deployment guardrails: what SageMaker refuses, or replaces by another way to update (WR6..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.components import ComponentRollingUpdatePolicy, CopyCapacitySize
from warmroute.hosting.guardrails import (
    BlueGreenUpdatePolicy,
    CapacitySize,
    DeploymentConfig,
    RollingUpdatePolicy,
    TrafficRoutingConfig,
)
from warmroute.hosting.spec import EndpointSpec
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_GUIDE = "SageMaker developer guide: deployment guardrails"


@rule("WR601", Severity.ERROR, on=DeploymentConfig, source="botocore DeploymentConfig: only one policy")
def one_policy(deployment: DeploymentConfig) -> Iterator[Problem]:
    """An update is blue/green or rolling."""
    if deployment.blue_green_update_policy and deployment.rolling_update_policy:
        yield problem("", "An update is blue/green or rolling, not both.", "Give exactly one policy.")


@rule("WR602", Severity.ERROR, on=TrafficRoutingConfig, source="botocore TrafficRoutingConfig")
def sizes_of_the_type(routing: TrafficRoutingConfig) -> Iterator[Problem]:
    """A canary has a canary size, a linear shift has a step size, and neither has the other's."""
    for field, type_ in (("canary_size", "CANARY"), ("linear_step_size", "LINEAR")):
        given = getattr(routing, field) is not None
        if given and routing.type != type_:
            yield problem(field, f"does not go with {routing.type}.", f"Leave it out, or use {type_}.")
        if not given and routing.type == type_:
            yield problem(field, f"required for {type_}, but not given.", "Give type and value.")


@rule(
    "WR603", Severity.ERROR, on=TrafficRoutingConfig, source="botocore TrafficRoutingConfig: CanarySize, LinearStepSize"
)
def shares_of_traffic(routing: TrafficRoutingConfig) -> Iterator[Problem]:
    """A canary takes at most half of the fleet; a linear step a tenth to half."""
    yield from _percent("canary_size", routing.canary_size, 1)
    yield from _percent("linear_step_size", routing.linear_step_size, 10)


@rule("WR604", Severity.ERROR, on=RollingUpdatePolicy, source="botocore RollingUpdatePolicy: MaximumBatchSize")
def batch_of_instances(rolling: RollingUpdatePolicy) -> Iterator[Problem]:
    """A batch is 5 to 50 percent of the fleet."""
    yield from _percent("maximum_batch_size", rolling.maximum_batch_size, 5)


@rule(
    "WR605",
    Severity.ERROR,
    on=ComponentRollingUpdatePolicy,
    source="botocore InferenceComponentRollingUpdatePolicy: MaximumBatchSize",
)
def batch_of_copies(rolling: ComponentRollingUpdatePolicy) -> Iterator[Problem]:
    """A batch is 5 to 50 percent of the copies."""
    yield from _percent("maximum_batch_size", rolling.maximum_batch_size, 5)


def _percent(field: str, size: CapacitySize | CopyCapacitySize | None, least: int) -> Iterator[Problem]:
    if size and size.type == "CAPACITY_PERCENT" and not least <= size.value <= 50:
        yield problem(f"{field}.value", f"{size.value} percent is out of range.", f"Allowed: {least} to 50 percent.")


@rule(
    "WR606",
    Severity.ERROR,
    on=EndpointSpec,
    source="botocore RollingUpdatePolicy: a batch is at most half of the fleet",
)
def a_fleet_that_can_roll(spec: EndpointSpec) -> Iterator[Problem]:
    """A rolling batch is at most half of the fleet, so a fleet of one instance cannot roll."""
    rolling = spec.deployment_config.rolling_update_policy if spec.deployment_config else None
    if rolling is None:
        return
    at = "deployment_config.rolling_update_policy.maximum_batch_size"
    for variant in spec.variants:
        if variant.serverless_config:  # WR607 says what SageMaker does instead.
            continue
        count, size = variant.initial_instance_count or 1, rolling.maximum_batch_size
        if count < 2:
            yield problem(at, f"Variant {variant.name} has 1 instance, which cannot roll.", "Use blue/green.")
        elif size.type == "INSTANCE_COUNT" and not 0.05 * count <= size.value <= 0.5 * count:
            yield problem(
                f"{at}.value",
                f"{size.value} of the {count} instances of variant {variant.name} is not 5 to 50 percent.",
                f"Allowed: {max(1, -(-count // 20))} to {count // 2}.",
            )


@rule(
    "WR607", Severity.WARNING, on=EndpointSpec, source="SageMaker developer guide: exclusions of deployment guardrails"
)
def rolling_needs_one_variant(spec: EndpointSpec) -> Iterator[Problem]:
    """With several or serverless variants SageMaker does not roll; it updates all at once."""
    rolling = spec.deployment_config.rolling_update_policy if spec.deployment_config else None
    if rolling and (len(spec.variants) > 1 or any(variant.serverless_config for variant in spec.variants)):
        yield problem(
            "deployment_config.rolling_update_policy",
            "does not apply to several or serverless variants; SageMaker updates them all at once.",
            "Use blue/green.",
        )


@rule(
    "WR608",
    Severity.ERROR,
    on=BlueGreenUpdatePolicy,
    source="botocore BlueGreenUpdatePolicy: MaximumExecutionTimeoutInSeconds",
)
def time_for_every_wait(policy: BlueGreenUpdatePolicy) -> Iterator[Problem]:
    """An update that waits longer than its time-out can only be rolled back."""
    limit = policy.maximum_execution_timeout_in_seconds
    routing = policy.traffic_routing_configuration
    step = routing.linear_step_size
    shifts = 1 if routing.type == "ALL_AT_ONCE" else 2
    if step and step.type == "CAPACITY_PERCENT":
        shifts = -(-100 // step.value)
    waits = shifts * routing.wait_interval_in_seconds + (policy.termination_wait_in_seconds or 0)
    if limit is not None and limit <= waits:
        yield problem(
            "maximum_execution_timeout_in_seconds",
            f"{limit:,} seconds do not exceed the waits of {waits:,} seconds.",
            "Raise it above that, or shorten the waits.",
        )


@rule("WR609", Severity.WARNING, on=DeploymentConfig, source=_GUIDE)
def alarms_stop_a_bad_update(deployment: DeploymentConfig) -> Iterator[Problem]:
    """Without alarms a gradual update waits, and nothing can stop it."""
    routing = deployment.blue_green_update_policy
    gradual = deployment.rolling_update_policy is not None or (
        routing is not None and routing.traffic_routing_configuration.type != "ALL_AT_ONCE"
    )
    if gradual and deployment.auto_rollback_configuration is None:
        yield problem(
            "auto_rollback_configuration",
            "A gradual update without alarms cannot notice that the new fleet is bad.",
            "Name at least one CloudWatch alarm.",
        )
