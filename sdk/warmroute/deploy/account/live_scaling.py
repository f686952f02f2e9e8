"""Application Auto Scaling of an endpoint's variants and components, as the account has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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

    @property
    def key(self) -> ScalingKey:
        """What tells it from every other."""
        return self.target["ResourceId"], self.target["ScalableDimension"]

    def own_policies(self, endpoint: str) -> tuple[str, ...]:
        """The policies that were made here, as their names say."""
        return tuple(name for name in self.policies if is_own_policy(name, endpoint))

    def is_removable(self, endpoint: str) -> bool:
        """Whether the target was made here and carries no policy of anybody else's.

        Where its tags cannot be read, the names of its policies decide.
        """
        foreign = set(self.policies) - set(self.own_policies(endpoint))
        return not foreign and (self.tags is None or is_owned(self.tags, endpoint))


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
                live = LiveScaling(target, _policies(aws, target), _tags(aws, target))
                found[live.key] = live
    except DeploymentError as error:
        if required or not aws.is_denied(error):
            raise
    return found


def _policies(aws: Aws, target: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    listed = aws.listed(
        "describe_scaling_policies",
        "ScalingPolicies",
        SERVICE,
        ServiceNamespace="sagemaker",
        ResourceId=target["ResourceId"],
        ScalableDimension=target["ScalableDimension"],
    )
    return {policy["PolicyName"]: policy for policy in listed}


def _tags(aws: Aws, target: Mapping[str, Any]) -> Mapping[str, str] | None:
    if "ScalableTargetARN" not in target:
        return None
    try:
        answer = aws.call(SERVICE, "list_tags_for_resource", ResourceARN=target["ScalableTargetARN"])
    except DeploymentError as error:
        if aws.is_passing(error):
            raise
        return None
    tags: dict[str, str] = answer.get("Tags", {})
    return tags
