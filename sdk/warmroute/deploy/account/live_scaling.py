"""Application Auto Scaling of an endpoint's variants and components, as the account has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account import faults
from warmroute.deploy.ownership import is_owned
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.wanted import ScalingKey

SERVICE = "application-autoscaling"


@dataclass(frozen=True, slots=True)
class LiveScaling:
    """A scalable target and the policies on it."""

    target: Mapping[str, Any]
    """What DescribeScalableTargets says of it."""

    policies: Mapping[str, Mapping[str, Any]]
    """What DescribeScalingPolicies says of each, by name."""

    tags: Mapping[str, str] | None
    """Of the target; None where they cannot be read."""

    schedules: tuple[str, ...] | None = ()
    """Names of the scheduled actions on it, which nobody makes here; None where they cannot be read."""

    @property
    def key(self) -> ScalingKey:
        """What tells it from every other."""
        return self.target["ResourceId"], self.target["ScalableDimension"]

    def own_policies(self, endpoint: str) -> tuple[str, ...]:
        """The policies that were made here, as their names say."""
        return tuple(name for name in self.policies if is_own_policy(name, endpoint))

    @property
    def suspended(self) -> tuple[str, ...]:
        """What somebody has suspended of it, in words; empty where everything scales."""
        state = self.target.get("SuspendedState") or {}
        return tuple(word for field, word in _SUSPENDABLE.items() if state.get(field))

    def is_removable(self, endpoint: str) -> bool:
        """Whether the target was made here and carries nothing of anybody else's."""
        return not self.why_it_stays(endpoint)

    def why_it_stays(self, endpoint: str) -> str:
        """Why the target is not removed where no spec asks for it; empty where it can be.

        Where its tags cannot be read, a policy of a name that is given here tells that it was made here.
        """
        own = self.own_policies(endpoint)
        foreign = [name for name in self.policies if name not in own]
        if foreign:
            return f"it has policies that warmroute did not make: {', '.join(foreign)}"
        if self.tags is None and not own:
            return "its tags cannot be read, so that nothing says that warmroute made it"
        if self.tags is not None and not is_owned(self.tags, endpoint):
            return "warmroute did not make it"
        if self.schedules is None:
            return "its scheduled actions cannot be read, which would go with it"
        return f"it has scheduled actions: {', '.join(self.schedules)}" if self.schedules else ""


_SUSPENDABLE = {
    "DynamicScalingInSuspended": "scaling in",
    "DynamicScalingOutSuspended": "scaling out",
    "ScheduledScalingSuspended": "scheduled scaling",
}
"""What can be suspended of a target. Source: botocore application-autoscaling ``SuspendedState``."""


def is_own_policy(name: str, endpoint: str) -> bool:
    """Whether a policy's name is one that warmroute gives."""
    return name.startswith(f"{endpoint}-") and name.endswith("-target-tracking")


def read_scaling(
    aws: Aws, endpoint: str, components: Iterable[str], *, required: bool
) -> dict[ScalingKey, LiveScaling]:
    """The scalable targets of an endpoint's variants, past ones too, and of components.

    Args:
        aws: The account and region.
        endpoint: Name of the endpoint.
        components: Names of components.
        required: Whether a refusal to answer is an error; it is not where nothing is scaled as far as is known.

    Raises:
        DeploymentError: AWS cannot be asked.
    """
    own = {f"inference-component/{name}" for name in components}
    found = {}
    try:
        for target in aws.listed("describe_scalable_targets", "ScalableTargets", SERVICE, ServiceNamespace="sagemaker"):
            resource = target["ResourceId"]
            if resource in own or resource.startswith(f"endpoint/{endpoint}/variant/"):
                live = LiveScaling(target, _policies(aws, target), _tags(aws, target), _schedules(aws, target))
                found[live.key] = live
    except DeploymentError as error:
        if required or not faults.is_denied(error):
            raise
    return found


def _policies(aws: Aws, target: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    listed = aws.listed("describe_scaling_policies", "ScalingPolicies", SERVICE, **_place(target))
    return {policy["PolicyName"]: policy for policy in listed}


def _schedules(aws: Aws, target: Mapping[str, Any]) -> tuple[str, ...] | None:
    listed = aws.listed("describe_scheduled_actions", "ScheduledActions", SERVICE, **_place(target))
    try:
        return tuple(action["ScheduledActionName"] for action in listed)
    except DeploymentError as error:
        if not faults.is_denied(error):
            raise
        return None


def _place(target: Mapping[str, Any]) -> dict[str, str]:
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": target["ResourceId"],
        "ScalableDimension": target["ScalableDimension"],
    }


def _tags(aws: Aws, target: Mapping[str, Any]) -> Mapping[str, str] | None:
    if "ScalableTargetARN" not in target:
        return None
    try:
        answer = aws.call(SERVICE, "list_tags_for_resource", ResourceARN=target["ScalableTargetARN"])
    except DeploymentError as error:
        if faults.is_passing(error):
            raise
        return None
    tags: dict[str, str] = answer.get("Tags", {})
    return tags
