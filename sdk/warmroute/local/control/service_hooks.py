"""What other services of moto's lack for an endpoint's autoscaling, alarms and deployments."""

from __future__ import annotations

from enum import Enum
from typing import Any

import moto.applicationautoscaling.models as scaling_models
import moto.applicationautoscaling.responses as scaling_responses
from moto.cloudtrail.responses import CloudTrailResponse
from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.responses import ActionResult

COMPONENT_DIMENSIONS = {
    "SAGEMAKER_INFERENCE_COMPONENT_DESIRED_COPY_COUNT": "sagemaker:inference-component:DesiredCopyCount",
    "SAGEMAKER_VARIANT_DESIRED_PROVISIONED_CONCURRENCY": "sagemaker:variant:DesiredProvisionedConcurrency",
}
"""Scalable dimensions of SageMaker that moto lacks. Source: botocore application-autoscaling ``ScalableDimension``."""

UNKEPT_OF_ALARMS = (
    "ActionConfiguration",
    "EvaluationCriteria",
    "EvaluationInterval",
    "EvaluationWindow",
    "WarmUpConfiguration",
)
"""Settings of an alarm that moto forgets. Source: botocore cloudwatch ``PutMetricAlarm`` and ``MetricAlarm``."""

RELIED_ON: tuple[tuple[object, str], ...] = (
    (scaling_models, "ScalableDimensionValueSet"),
    (scaling_responses, "ScalableDimensionValueSet"),
    *(
        (scaling_models.ApplicationAutoscalingBackend, name)
        for name in ("put_scaling_policy", "deregister_scalable_target")
    ),
    (scaling_models, "FakeApplicationAutoscalingPolicy"),
    *((CloudWatchResponse, name) for name in ("put_metric_alarm", "describe_alarms")),
    (CloudTrailResponse, "call_action"),
)
"""Everything of moto's that is replaced, wrapped or called, as owner and name."""


def attach() -> None:
    """Replace and add what is needed; to be called once."""
    _attach_dimensions()
    _attach_policies(scaling_models.ApplicationAutoscalingBackend)
    _attach_alarms(CloudWatchResponse)
    _attach_trail(CloudTrailResponse)


def _attach_dimensions() -> None:
    known = {member.name: member.value for member in scaling_models.ScalableDimensionValueSet}
    extended = Enum("ScalableDimensionValueSet", known | COMPONENT_DIMENSIONS)  # type: ignore[misc]
    for module in (scaling_models, scaling_responses):
        setattr(module, "ScalableDimensionValueSet", extended)  # noqa: B010 - a class is not assigned to by name.


def _attach_policies(backend_type: Any) -> None:
    """A scaling policy keeps its ARN when it is changed, and goes with its target."""
    put_scaling_policy, deregister = backend_type.put_scaling_policy, backend_type.deregister_scalable_target

    def put_and_keep_arn(self: Any, *arguments: Any, **named: Any) -> Any:
        before = dict(self.policies)
        policy = put_scaling_policy(self, *arguments, **named)
        key = next(key for key, each in self.policies.items() if each is policy)
        if key in before:
            policy.policy_arn, policy.creation_time = before[key].policy_arn, before[key].creation_time
        return policy

    def deregister_with_policies(self: Any, namespace: str, r_id: str, dimension: str) -> None:
        deregister(self, namespace, r_id, dimension)
        target = (namespace, r_id, dimension)
        for key, policy in list(self.policies.items()):
            if (policy.service_namespace, policy.resource_id, policy.scalable_dimension) == target:
                del self.policies[key]

    backend_type.put_scaling_policy = put_and_keep_arn
    backend_type.deregister_scalable_target = deregister_with_policies


def _attach_alarms(response_type: Any) -> None:
    """Composite alarms, which moto lists but takes from nobody; settings that it forgets; the types asked for."""
    put_metric_alarm, describe_alarms = response_type.put_metric_alarm, response_type.describe_alarms

    def put_whole_metric_alarm(self: Any) -> Any:
        result = put_metric_alarm(self)
        alarm = self.cloudwatch_backend.alarms[self._get_param("AlarmName")]
        for name in UNKEPT_OF_ALARMS:
            setattr(alarm, name, self._get_param(name))
        return result

    def put_composite_alarm(self: Any) -> Any:
        return self.put_metric_alarm()

    def describe_alarms_of_types(self: Any) -> ActionResult:
        wanted = self._get_param("AlarmTypes") or ["MetricAlarm"]  # Source: botocore DescribeAlarms ``AlarmTypes``.
        result: Any = describe_alarms(self).result
        return ActionResult({f"{kind}s": result[f"{kind}s"] for kind in wanted if f"{kind}s" in result})

    response_type.put_metric_alarm = put_whole_metric_alarm
    response_type.put_composite_alarm = put_composite_alarm
    response_type.describe_alarms = describe_alarms_of_types


def _attach_trail(response_type: Any) -> None:
    """An empty trail: the CDK looks there for the reason of a failure, and would ask again for a minute."""

    def lookup_events(self: Any) -> ActionResult:  # noqa: ARG001 - moto calls it so.
        return ActionResult({"Events": []})

    response_type.lookup_events = lookup_events
