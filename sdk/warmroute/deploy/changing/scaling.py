"""Registers automatic scaling, reads it back, and removes what has left the spec."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from warmroute.deploy.account.aws import PATIENCE
from warmroute.deploy.account.live_scaling import SERVICE, read_scaling
from warmroute.deploy.planning.scaling import policy_fields, policy_name, target_fields
from warmroute.deploy.progress import Progress
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from warmroute.deploy.account.aws import Aws
    from warmroute.deploy.account.live_scaling import LiveScaling
    from warmroute.deploy.progress import Action
    from warmroute.deploy.wanted import ScalingKey, Wanted, WantedScaling

KIND = "scaling"


class ScalingSteps:
    """The steps of one plan that concern automatic scaling.

    Args:
        aws: The account and region.
        wanted: What is asked for.
        on_progress: Told of every step.
    """

    def __init__(self, aws: Aws, wanted: Wanted, *, on_progress: Callable[[Progress], None]) -> None:
        self._aws = aws
        self._wanted = wanted
        self._on_progress = on_progress

    def put(self) -> None:
        """Register every target and put every policy that differs, and read both back until they show it.

        A policy that is put right after its target was registered has been seen to have no effect.

        Raises:
            DeploymentError: AWS refuses, or does not show what was put.
        """
        if not self._wanted.scaling:
            return
        touched: set[ScalingKey] = set()
        for attempt in range(1, PATIENCE + 1):
            live = self._live()
            behind = [each for each in self._wanted.scaling if not _is_there(each, live.get(each.key))]
            if not behind:
                break
            if attempt > 1:
                time.sleep(attempt - 1)
            for each in behind:
                self._put(each, live.get(each.key))
                touched.add(each.key)
        else:
            names = ", ".join(each.target["ResourceId"] for each in behind)
            raise DeploymentError(
                f"The scaling of {names} was put, and Application Auto Scaling does not show it.", "Apply again."
            )
        for each in self._wanted.scaling:
            action: Action = "updated" if each.key in touched else "unchanged"
            self._on_progress(Progress(action, KIND, each.target["ResourceId"]))

    def remove(self, keys: Iterable[ScalingKey]) -> None:
        """Remove scalable targets with their policies.

        Args:
            keys: The targets.

        Raises:
            DeploymentError: AWS refuses.
        """
        keys = tuple(keys)
        live = self._live() if keys else {}
        remove_scaling(self._aws, [live[key] for key in keys if key in live], on_progress=self._on_progress)

    def remove_policies(self, policies: Iterable[tuple[ScalingKey, str]]) -> None:
        """Remove policies from targets that stay.

        Args:
            policies: Each with the target that it is on.

        Raises:
            DeploymentError: AWS refuses.
        """
        for key, name in policies:
            _delete_policy(self._aws, key, name)
            self._on_progress(Progress("deleted", KIND, name))

    def _live(self) -> Mapping[ScalingKey, LiveScaling]:
        return read_scaling(self._aws, self._wanted.spec.name, self._components(), required=True)

    def _components(self) -> list[str]:
        return list(self._wanted.components)

    def _put(self, each: WantedScaling, existing: LiveScaling | None) -> None:
        if existing is None:
            self._aws.change(SERVICE, "register_scalable_target", **each.target)
        elif target_fields(each, existing):
            # Tags are for a new target alone. Source: botocore RegisterScalableTarget.
            limits = {key: value for key, value in each.target.items() if key != "Tags"}
            self._aws.change(SERVICE, "register_scalable_target", **limits)
        if each.policy is not None and (existing is None or _lacks_policy(each, existing)):
            named = {**each.policy, "PolicyName": policy_name(each.policy, existing)}
            self._aws.change(SERVICE, "put_scaling_policy", **named)


def remove_scaling(aws: Aws, targets: Iterable[LiveScaling], *, on_progress: Callable[[Progress], None]) -> None:
    """Remove scalable targets, and the policies on them with them.

    The target goes in one call, so that a run that is stopped leaves none without what tells whose it is.
    Source: botocore DeregisterScalableTarget.

    Args:
        aws: The account and region.
        targets: What to remove.
        on_progress: Told of every step.

    Raises:
        DeploymentError: AWS refuses.
    """
    for scaling in targets:
        resource, dimension = scaling.key
        aws.delete(
            SERVICE,
            "deregister_scalable_target",
            ServiceNamespace="sagemaker",
            ResourceId=resource,
            ScalableDimension=dimension,
        )
        on_progress(Progress("deleted", KIND, resource))


def _delete_policy(aws: Aws, key: ScalingKey, name: str) -> None:
    aws.delete(
        SERVICE,
        "delete_scaling_policy",
        PolicyName=name,
        ServiceNamespace="sagemaker",
        ResourceId=key[0],
        ScalableDimension=key[1],
    )


def _is_there(wanted: WantedScaling, existing: LiveScaling | None) -> bool:
    return existing is not None and not target_fields(wanted, existing) and not _lacks_policy(wanted, existing)


def _lacks_policy(wanted: WantedScaling, existing: LiveScaling) -> bool:
    if wanted.policy is None:
        return False
    name = policy_name(wanted.policy, existing)
    return name not in existing.policies or bool(policy_fields(wanted.policy, existing))
