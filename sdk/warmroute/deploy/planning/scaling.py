"""What becomes of the automatic scaling of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.plan import Action, Change, FieldChange, Kind
from warmroute.deploy.planning.differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.account.live_scaling import LiveScaling
    from warmroute.deploy.wanted import Parameters, Wanted, WantedScaling

DEFAULT_COOLDOWN_SECONDS = 300
"""Cooldown of a target-tracking policy that names none.

Source: botocore ``TargetTrackingScalingPolicyConfiguration``.
"""


def scaling_changes(wanted: Wanted, live: Live) -> Iterator[Change]:
    """What becomes of each scalable target and each policy of a spec.

    Args:
        wanted: What is asked for.
        live: What the account has.
    """
    for each in wanted.scaling:
        existing = live.scaling.get(each.key)
        yield _change(Kind.SCALABLE_TARGET, each.target["ResourceId"], existing, target_fields(each, existing))
        if each.policy is not None:
            name = policy_name(each.policy, existing)
            known = existing if existing and name in existing.policies else None
            yield _change(Kind.SCALING_POLICY, name, known, policy_fields(each.policy, existing))


def target_fields(wanted: WantedScaling, existing: LiveScaling | None) -> tuple[FieldChange, ...]:
    """How the limits of a scalable target differ from what is asked for.

    Args:
        wanted: What is asked for.
        existing: The scalable target; None where there is none.
    """
    limits = ("MinCapacity", "MaxCapacity")
    before = {key: existing.target.get(key) for key in limits} if existing else {}
    return differences(before, {key: wanted.target[key] for key in limits})


def policy_fields(wanted: Parameters, existing: LiveScaling | None) -> tuple[FieldChange, ...]:
    """How a policy differs from what is asked for.

    Args:
        wanted: Of PutScalingPolicy.
        existing: The scalable target that it is on; None where there is none.
    """
    policies = existing.policies if existing else {}
    before = policies.get(policy_name(wanted, existing), {}).get(_CONFIGURATION, {})
    return differences(_content(before), _content(wanted[_CONFIGURATION]))


def policy_name(wanted: Parameters, existing: LiveScaling | None) -> str:
    """The name that a policy has, or shall have: two that track one metric on one target would fight.

    Args:
        wanted: Of PutScalingPolicy.
        existing: The scalable target that it is on; None where there is none.
    """
    name: str = wanted["PolicyName"]
    policies = existing.policies if existing else {}
    if name in policies:
        return name
    metric = wanted[_CONFIGURATION]["PredefinedMetricSpecification"]["PredefinedMetricType"]
    for other, policy in policies.items():
        specification = policy.get(_CONFIGURATION, {}).get("PredefinedMetricSpecification", {})
        if specification.get("PredefinedMetricType") == metric:
            return other
    return name


_CONFIGURATION = "TargetTrackingScalingPolicyConfiguration"


def _content(configuration: Mapping[str, Any]) -> dict[str, Any]:
    cooldowns = {"ScaleInCooldown", "ScaleOutCooldown"}
    return {
        key: value
        for key, value in configuration.items()
        if value is not None and value is not False and not (key in cooldowns and value == DEFAULT_COOLDOWN_SECONDS)
    }


def _change(kind: Kind, name: str, existing: LiveScaling | None, fields: tuple[FieldChange, ...]) -> Change:
    if existing is None:
        return Change(Action.CREATE, kind, name)
    return Change(Action.UPDATE if fields else Action.NOTHING, kind, name, fields)
