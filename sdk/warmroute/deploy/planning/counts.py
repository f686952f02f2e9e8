"""Instances and weights of variants: what they are, what they shall be, and how many there are on the way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from warmroute.deploy.plan import FieldChange, InstanceCount, Rollout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.wanted import Wanted
    from warmroute.hosting import ProductionVariant


def capacity_changes(wanted: Wanted, variants: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What UpdateEndpointWeightsAndCapacities has to say, empty where every variant is as the spec has it.

    A count that is scaled automatically belongs to the scaling. Where the spec says itself that an update keeps counts
    and weights, they belong to the operator.

    Args:
        wanted: What is asked for.
        variants: What DescribeEndpoint says of each production variant.
    """
    if wanted.spec.retain_all_variant_properties:
        return []
    changes = []
    running = {each["VariantName"]: each for each in variants}
    for variant in wanted.spec.variants:
        state = running.get(variant.name)
        if state is None:
            continue
        change: dict[str, Any] = {}
        count = variant.initial_instance_count
        if variant.name not in wanted.scaled_variants and count and count != state.get("DesiredInstanceCount"):
            change["DesiredInstanceCount"] = count
        weight = _weight(variant)
        if not math.isclose(weight, state.get("DesiredWeight", weight), rel_tol=1e-5):  # A float32 in the API.
            change["DesiredWeight"] = weight
        if change:
            changes.append({"VariantName": variant.name, **change})
    return changes


def capacity_changes_now(wanted: Wanted, endpoint: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The same of an endpoint as it stands; none while it changes, when it is too early to say.

    Args:
        wanted: What is asked for.
        endpoint: What DescribeEndpoint says; empty where there is none.
    """
    settled = endpoint.get("EndpointStatus") in {"InService", "UpdateRollbackFailed"}
    return capacity_changes(wanted, endpoint.get("ProductionVariants", ())) if settled else []


def capacity_fields(
    changes: Iterable[Mapping[str, Any]], variants: Iterable[Mapping[str, Any]]
) -> tuple[FieldChange, ...]:
    """The same changes, field by field.

    Args:
        changes: As ``capacity_changes`` gives them.
        variants: What DescribeEndpoint says of each production variant.
    """
    running = {each["VariantName"]: each for each in variants}
    names = {"DesiredInstanceCount": "instance_count", "DesiredWeight": "weight"}
    return tuple(
        FieldChange(f"variants.{change['VariantName']}.{path}", running[change["VariantName"]].get(key), change[key])
        for change in changes
        for key, path in names.items()
        if key in change
    )


def instance_counts(wanted: Wanted, live: Live, rollout: Rollout) -> tuple[InstanceCount, ...]:
    """How many instances of each type there are: now, at most during the change, after it, and when scaled out.

    A variant with pools counts as its preferred type.

    Args:
        wanted: What is asked for.
        live: What the account has.
        rollout: How the instances get there.
    """
    now = dict(_running(live))
    totals: dict[str, list[int]] = {}
    seen = set()
    for variant in wanted.spec.all_variants:
        key = (variant.name, preferred_type(variant))
        if key[1] is None:
            continue
        before = now.get(key, 0)
        seen.add(key)
        after = _after(variant, wanted, before, rollout)
        most = max(after, _most(variant, wanted))
        _add(totals, key[1], (before, _peak(before, after, wanted, rollout), after, most))
    for key, before in now.items():
        if key not in seen:
            _add(totals, key[1], (before, before, 0, 0))
    return tuple(InstanceCount(instance_type, *counts) for instance_type, counts in sorted(totals.items()))


def preferred_type(variant: ProductionVariant) -> str | None:
    """The instance type that a variant starts with, or None for a serverless one."""
    if variant.instance_pools:
        return min(variant.instance_pools, key=lambda pool: pool.priority).instance_type
    return variant.instance_type


def _add(totals: dict[str, list[int]], instance_type: str | None, counts: tuple[int, int, int, int]) -> None:
    if instance_type is not None:
        total = totals.setdefault(instance_type, [0, 0, 0, 0])
        totals[instance_type] = [ours + more for ours, more in zip(total, counts, strict=True)]


def _running(live: Live) -> Iterator[tuple[tuple[str, str | None], int]]:
    for family in ("ProductionVariants", "ShadowProductionVariants"):
        types = {each["VariantName"]: _preferred(each) for each in (live.config or {}).get(family, ())}
        for state in (live.endpoint or {}).get(family, ()):
            if types.get(state["VariantName"]):
                yield (state["VariantName"], types[state["VariantName"]]), state.get("CurrentInstanceCount", 0)


def _preferred(variant: Mapping[str, Any]) -> str | None:
    pools = sorted(variant.get("InstancePools", ()), key=lambda pool: pool["Priority"])
    found: str | None = pools[0]["InstanceType"] if pools else variant.get("InstanceType")
    return found


def _after(variant: ProductionVariant, wanted: Wanted, before: int, rollout: Rollout) -> int:
    kept = before and (rollout is Rollout.NONE or variant.name in wanted.scaled_variants)
    if kept or (before and wanted.spec.retain_all_variant_properties):
        return before
    managed = variant.managed_instance_scaling
    fewest = managed.min_instance_count if managed else None
    return variant.initial_instance_count or fewest or 1


def _peak(before: int, after: int, wanted: Wanted, rollout: Rollout) -> int:
    if rollout is Rollout.BLUE_GREEN:
        return before + after
    guardrails = wanted.spec.deployment_config
    if rollout is Rollout.ROLLING and guardrails and guardrails.rolling_update_policy:
        size = guardrails.rolling_update_policy.maximum_batch_size
        batch = size.value if size.type == "INSTANCE_COUNT" else math.ceil(before * size.value / 100)
        return max(before, after) + batch
    return max(before, after)


def _most(variant: ProductionVariant, wanted: Wanted) -> int:
    managed = variant.managed_instance_scaling
    limits = [each.max_capacity for each in wanted.spec.auto_scaling or () if each.variant_name == variant.name]
    if managed and managed.status != "DISABLED" and managed.max_instance_count:
        limits.append(managed.max_instance_count)
    return max(limits, default=0)


def _weight(variant: ProductionVariant) -> float:
    return 1.0 if variant.initial_variant_weight is None else variant.initial_variant_weight
