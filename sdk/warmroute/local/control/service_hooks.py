"""What other services of moto's lack for an endpoint's autoscaling, alarms and deployments."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import moto.applicationautoscaling.models as scaling_models
import moto.applicationautoscaling.responses as scaling_responses
from moto.cloudtrail.responses import CloudTrailResponse
from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.exceptions import ServiceException
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

MAX_TAGS = 50
"""Tags of one scalable target. Source: botocore application-autoscaling ``TagMap``."""

RELIED_ON: tuple[tuple[object, str], ...] = (
    (scaling_models, "ScalableDimensionValueSet"),
    (scaling_responses, "ScalableDimensionValueSet"),
    *(
        (scaling_models.ApplicationAutoscalingBackend, name)
        for name in ("put_scaling_policy", "deregister_scalable_target")
    ),
    *(
        (scaling_responses.ApplicationAutoScalingResponse, name)
        for name in ("register_scalable_target", "applicationautoscaling_backend")
    ),
    (scaling_models, "FakeApplicationAutoscalingPolicy"),
    *((CloudWatchResponse, name) for name in ("put_metric_alarm", "describe_alarms")),
    (CloudTrailResponse, "call_action"),
)
"""Everything of moto's that is replaced, wrapped or called, as owner and name."""


class ScalingError(ServiceException):
    """An error in the service's protocol."""


def attach() -> None:
    """Replace and add what is needed; to be called once."""
    _attach_dimensions()
    _attach_policies(scaling_models.ApplicationAutoscalingBackend)
    _attach_tags(scaling_responses.ApplicationAutoScalingResponse)
    _attach_alarms(CloudWatchResponse)
    _attach_trail(CloudTrailResponse)


def _attach_dimensions() -> None:
    known = {member.name: member.value for member in scaling_models.ScalableDimensionValueSet}
    extended = Enum("ScalableDimensionValueSet", known | COMPONENT_DIMENSIONS)  # type: ignore[misc]
    for module in (scaling_models, scaling_responses):
        setattr(module, "ScalableDimensionValueSet", extended)  # noqa: B010 - a class is not assigned to by name.


def _attach_policies(backend_type: Any) -> None:
    """A scaling policy keeps its ARN when it is changed; policies and scheduled actions go with their target."""
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
        self.scheduled_actions[:] = [
            action
            for action in self.scheduled_actions
            if (action.service_namespace, action.resource_id, action.scalable_dimension) != target
        ]

    backend_type.put_scaling_policy = put_and_keep_arn
    backend_type.deregister_scalable_target = deregister_with_policies


def _attach_tags(response_type: Any) -> None:
    """Tags of scalable targets, which moto neither keeps nor answers for."""
    register = response_type.register_scalable_target

    def register_with_tags(self: Any) -> str:
        tags = self._get_param("Tags") or {}
        _refuse_many(tags)
        known = _targets(self)
        answer: str = register(self)
        arn = json.loads(answer)["ScalableTargetARN"]
        if arn not in known:  # Tags are for a new target alone. Source: botocore RegisterScalableTarget.
            _targets(self)[arn].tags = dict(tags)
        return answer

    def list_tags_for_resource(self: Any) -> ActionResult:
        return ActionResult({"Tags": _tags(self)})

    def tag_resource(self: Any) -> ActionResult:
        tags = {**_tags(self), **self._get_param("Tags")}
        _refuse_many(tags)
        _tags(self).update(tags)
        return ActionResult({})

    def untag_resource(self: Any) -> ActionResult:
        for key in self._get_param("TagKeys"):
            _tags(self).pop(key, None)
        return ActionResult({})

    for answer in (list_tags_for_resource, tag_resource, untag_resource):
        setattr(response_type, answer.__name__, answer)
    response_type.register_scalable_target = register_with_tags


def _targets(response: Any) -> dict[str, Any]:
    """The scalable targets of the account, by ARN."""
    by_dimension = response.applicationautoscaling_backend.targets.values()
    return {target.arn: target for targets in by_dimension for target in targets.values()}


def _tags(response: Any) -> dict[str, str]:
    """The tags of the target that a call names."""
    arn = response._get_param("ResourceARN")  # noqa: SLF001 - hooks know moto's insides.
    target = _targets(response).get(arn)
    if target is None:
        raise ScalingError("ResourceNotFoundException", f"There is no scalable target {arn}.")
    tags: dict[str, str] = target.__dict__.setdefault("tags", {})
    return tags


def _refuse_many(tags: dict[str, str]) -> None:
    if len(tags) > MAX_TAGS:
        raise ScalingError("TooManyTagsException", f"A scalable target has at most {MAX_TAGS} tags, not {len(tags)}.")


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
