"""How many instances or copies serve: SageMaker's own scaling of instances, and Application Auto Scaling."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from warmroute.hosting.text import ModelName, Name
from warmroute.settings import Settings

VARIANT_METRICS = (
    "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    "SageMakerVariantInvocationsPerInstance",
    "SageMakerVariantProvisionedConcurrencyUtilization",
)
"""Predefined metrics of a variant, the default first. Source: botocore application-autoscaling ``MetricType``."""

COMPONENT_METRICS = (
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    "SageMakerInferenceComponentInvocationsPerCopy",
)
"""Predefined metrics of a component, the default first. Source: botocore application-autoscaling ``MetricType``."""

PredefinedMetric = Literal[
    "SageMakerVariantConcurrentRequestsPerModelHighResolution",
    "SageMakerVariantInvocationsPerInstance",
    "SageMakerVariantProvisionedConcurrencyUtilization",
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    "SageMakerInferenceComponentInvocationsPerCopy",
]


class ScaleInPolicy(Settings):
    """How managed scaling gives instances back.

    Source: botocore ``ProductionVariantManagedInstanceScalingScaleInPolicy``.
    """

    strategy: Literal["IDLE_RELEASE", "CONSOLIDATION"]
    """Release only idle instances, or move copies together to free instances."""

    maximum_step_size: int | None = Field(default=None, ge=1, le=100)
    """Instances given back at a time; SageMaker's default is 1."""

    cooldown_in_minutes: int | None = Field(default=None, ge=5, le=1_440)
    """Minutes between two steps; SageMaker's default is 20."""


class ManagedInstanceScaling(Settings):
    """SageMaker adds and removes instances as component copies need them.

    Source: botocore ``ProductionVariantManagedInstanceScaling``.
    """

    status: Literal["ENABLED", "DISABLED"] | None = None
    """Whether it is on."""

    min_instance_count: int | None = Field(default=None, ge=0)
    """Fewest instances; 0 lets a variant with inference components scale to zero."""

    max_instance_count: int | None = Field(default=None, ge=1)
    """Most instances."""

    scale_in_policy: ScaleInPolicy | None = None
    """How instances are given back."""


class TargetTracking(Settings):
    """Keep a metric near a value.

    Source: botocore application-autoscaling ``TargetTrackingScalingPolicyConfiguration``.
    """

    target_value: float = Field(gt=0)
    """Value of the metric to hold, for example 12 concurrent requests per instance."""

    predefined_metric_type: PredefinedMetric | None = None
    """Metric to hold; by default concurrent requests in high resolution, per instance or per copy."""

    scale_in_cooldown: int | None = Field(default=None, ge=0)
    """Seconds between two scale-ins; Application Auto Scaling's default is 300."""

    scale_out_cooldown: int | None = Field(default=None, ge=0)
    """Seconds between two scale-outs; Application Auto Scaling's default is 300."""

    disable_scale_in: bool | None = None
    """Whether scaling only ever adds."""


class AutoScaling(Settings):
    """Application Auto Scaling of one variant's instances or one component's copies."""

    variant_name: Name | None = None
    """Variant whose instances are scaled."""

    inference_component_name: ModelName | None = None
    """Component whose copies are scaled."""

    min_capacity: int = Field(ge=0)
    """Fewest instances or copies; 0 only for a component."""

    max_capacity: int = Field(ge=1)
    """Most instances or copies."""

    target_tracking: TargetTracking | None = None
    """The policy; without it only the limits are registered."""

    @property
    def metric(self) -> str | None:
        """The predefined metric in force, or None without a policy."""
        if self.target_tracking is None:
            return None
        default = COMPONENT_METRICS[0] if self.inference_component_name else VARIANT_METRICS[0]
        return self.target_tracking.predefined_metric_type or default
