"""The inference components and the scaling of an endpoint that exists, as values of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.contents import with_models, without_empty_model
from warmroute.deploy.ownership import operators_tags
from warmroute.deploy.planning.component_updates import as_asked, base_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.deploy.account.live import Existing, Live
    from warmroute.deploy.account.live_scaling import LiveScaling


def component_values(live: Live, called: Mapping[str, str]) -> list[dict[str, Any]]:
    """The components on an endpoint.

    Args:
        live: What the account has.
        called: By name of a model, what the spec calls it.
    """
    return [_component(name, existing, live, called) for name, existing in live.components.items()]


def scaling_values(live: Live) -> list[dict[str, Any]]:
    """The automatic scaling of an endpoint, as far as a spec can say it.

    Args:
        live: What the account has.
    """
    return [_scaling(scaling, live.name) for _, scaling in sorted(live.scaling.items())]


def _component(name: str, existing: Existing, live: Live, called: Mapping[str, str]) -> dict[str, Any]:
    described = existing.described
    values: dict[str, Any] = {"name": name}
    if base_of(described) is None:
        values["variant_name"] = described["VariantName"]
    for key in ("Specification", "Specifications"):
        if described.get(key):
            told = with_models(as_asked(described[key]), called)
            values[key] = list(map(without_empty_model, told)) if isinstance(told, list) else without_empty_model(told)
    copies = described.get("RuntimeConfig", {}).get("DesiredCopyCount")
    if copies is not None:
        values["runtime_config"] = {"copy_count": copies}
    if described.get("LastDeploymentConfig"):
        values["deployment_config"] = described["LastDeploymentConfig"]
    tags = operators_tags(existing.tags)
    if tags and tags != {key: value for key, value in live.tags.items() if key in tags}:
        values["tags"] = tags
    return values


def _scaling(scaling: LiveScaling, endpoint: str) -> dict[str, Any]:
    resource, _ = scaling.key
    kind = "variant_name" if resource.startswith("endpoint/") else "inference_component_name"
    values: dict[str, Any] = {
        kind: resource.rpartition("/")[2],
        "min_capacity": scaling.target["MinCapacity"],
        "max_capacity": scaling.target["MaxCapacity"],
    }
    tracking = next(_trackings(scaling, endpoint), None)
    if tracking:
        values["target_tracking"] = tracking
    return values


def _trackings(scaling: LiveScaling, endpoint: str) -> Iterator[dict[str, Any]]:
    """The target-tracking policies that a spec can say: those of a predefined metric, warmroute's own first."""
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
            yield {**said, "predefined_metric_type": metric}
