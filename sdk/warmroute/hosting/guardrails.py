"""How an update reaches a serving endpoint, and what rolls it back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.text import AlarmName
from warmroute.settings import Many, Settings

Wait = Annotated[int, Field(ge=0, le=3_600)]
"""Seconds between two steps of an update. Source: botocore ``WaitIntervalInSeconds``."""

Timeout = Annotated[int, Field(ge=600, le=28_800)]
"""Seconds that an update may take. Source: botocore ``MaximumExecutionTimeoutInSeconds``."""


class CapacitySize(Settings):
    """A part of a fleet. Source: botocore ``CapacitySize``."""

    type: Literal["INSTANCE_COUNT", "CAPACITY_PERCENT"]
    """Whether the value counts instances or is a percentage of the fleet."""

    value: int = Field(ge=1)
    """Instances, or percent."""


class TrafficRoutingConfig(Settings):
    """How traffic moves from the old fleet to the new. Source: botocore ``TrafficRoutingConfig``."""

    type: Literal["ALL_AT_ONCE", "CANARY", "LINEAR"]
    """At once, a canary first, or in equal steps."""

    wait_interval_in_seconds: Wait
    """Seconds between two steps, and after the last; the bake time."""

    canary_size: CapacitySize | None = None
    """The first part of the traffic; at most half of the fleet."""

    linear_step_size: CapacitySize | None = None
    """Each step; 10 to 50 percent of the fleet."""


class BlueGreenUpdatePolicy(Settings):
    """A second fleet beside the first, then a shift of traffic. Source: botocore ``BlueGreenUpdatePolicy``."""

    traffic_routing_configuration: TrafficRoutingConfig
    """How traffic moves."""

    termination_wait_in_seconds: Wait | None = None
    """Seconds that the old fleet is kept after the shift; SageMaker's default is 0."""

    maximum_execution_timeout_in_seconds: Timeout | None = None
    """Seconds after which the update is rolled back."""


class RollingUpdatePolicy(Settings):
    """Instances replaced batch by batch, without a second fleet. Source: botocore ``RollingUpdatePolicy``."""

    maximum_batch_size: CapacitySize
    """Instances, or component copies, replaced at a time; 5 to 50 percent."""

    wait_interval_in_seconds: Wait
    """Seconds between two batches."""

    maximum_execution_timeout_in_seconds: Timeout | None = None
    """Seconds after which the update is rolled back."""

    rollback_maximum_batch_size: CapacitySize | None = None
    """Batch of a rollback; absent, the rollback is blue/green."""


class Alarm(Settings):
    """An alarm that stops an update. Source: botocore ``Alarm``."""

    alarm_name: AlarmName
    """Name of a CloudWatch alarm in the same account and region."""


class AutoRollbackConfig(Settings):
    """What rolls an update back. Source: botocore ``AutoRollbackConfig``."""

    alarms: Annotated[Many[Alarm], Field(min_length=1, max_length=10)]
    """Alarms, 1 to 10; one in ALARM rolls the update back."""


class DeploymentConfig(Settings):
    """The guardrails of an update; without them it is blue/green, all at once.

    Source: botocore ``DeploymentConfig``.
    """

    blue_green_update_policy: BlueGreenUpdatePolicy | None = None
    """A second fleet beside the first."""

    rolling_update_policy: RollingUpdatePolicy | None = None
    """Instances replaced batch by batch."""

    auto_rollback_configuration: AutoRollbackConfig | None = None
    """Alarms that roll the update back."""
