"""The automatic scaling of an endpoint that exists, as values of a spec, and what a spec cannot say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.account.live_scaling import LiveScaling


def scaling_values(live: Live) -> list[dict[str, Any]]:
    """The automatic scaling of an endpoint, as far as a spec can say it.

    Args:
        live: What the account has.
    """
    return [_scaling(scaling, live.name) for _, scaling in sorted(live.scaling.items())]


def scaling_left_out(live: Live) -> Iterator[str]:
    """What a spec has no words for, a phrase each.

    Args:
        live: What the account has.
    """
    for (resource, _), scaling in sorted(live.scaling.items()):
        told, _ = next(_trackings(scaling, live.name), ("", {}))
        others = [name for name in scaling.policies if name != told]
        if others:
            yield f"policies of {resource}: {', '.join(others)}"
        if scaling.schedules:
            yield f"scheduled actions of {resource}: {', '.join(scaling.schedules)}"
        if scaling.schedules is None:
            yield f"scheduled actions of {resource}, which cannot be read"
        if scaling.suspended:
            yield f"{' and '.join(scaling.suspended)} of {resource} is suspended"


def _scaling(scaling: LiveScaling, endpoint: str) -> dict[str, Any]:
    resource, _ = scaling.key
    kind = "variant_name" if resource.startswith("endpoint/") else "inference_component_name"
    values: dict[str, Any] = {
        kind: resource.rpartition("/")[2],
        "min_capacity": scaling.target["MinCapacity"],
        "max_capacity": scaling.target["MaxCapacity"],
    }
    _, tracking = next(_trackings(scaling, endpoint), ("", None))
    if tracking:
        values["target_tracking"] = tracking
    return values


def _trackings(scaling: LiveScaling, endpoint: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Target-tracking policies that a spec can say, by name: those of a predefined metric, warmroute's own first."""
    fields = {
        "TargetValue": "target_value",
        "ScaleInCooldown": "scale_in_cooldown",
        "ScaleOutCooldown": "scale_out_cooldown",
        "DisableScaleIn": "disable_scale_in",
    }
    own = scaling.own_policies(endpoint)
    for name in sorted(scaling.policies, key=lambda name: name not in own):
        policy = scaling.policies[name]
        configuration = policy.get("TargetTrackingScalingPolicyConfiguration") or {}
        metric = configuration.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType")
        if metric:
            known = {ours: configuration.get(theirs) for theirs, ours in fields.items()}
            said = {ours: value for ours, value in known.items() if value is not None and value is not False}
            yield name, {**said, "predefined_metric_type": metric}
