"""What a plan means for the traffic, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.plan import Action, Kind, Rollout
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from warmroute.deploy.plan import Change, InstanceCount
    from warmroute.deploy.wanted import Wanted
    from warmroute.hosting import DeploymentConfig


def traffic(
    wanted: Wanted, instances: Sequence[InstanceCount], rollout: Rollout, changes: Iterable[Change]
) -> tuple[str, ...]:
    """What a plan means for the traffic, a sentence each; empty where nothing changes for it.

    Args:
        wanted: What is asked for.
        instances: Instances by type: now, at the peak of the change, and after.
        rollout: How instances get to what is asked for.
        changes: What becomes of each resource.
    """
    return (*_of_instances(wanted, instances, rollout), *_of_components(changes))


def _of_instances(wanted: Wanted, instances: Sequence[InstanceCount], rollout: Rollout) -> Iterator[str]:
    now, peak, after = (sum(getattr(each, name) for each in instances) for name in ("now", "peak", "after"))
    match rollout:
        case Rollout.CREATE:
            yield f"A new endpoint starts {counted(after, 'instance')}; it serves when all of them do."
        case Rollout.IN_PLACE:
            yield "Counts and weights change on the fleet that serves; instances that stay keep their caches."
        case Rollout.ROLLING:
            yield f"Instances are replaced batch by batch, {peak} at the peak; each new one starts with a cold cache."
        case Rollout.BLUE_GREEN:
            yield (
                f"A second fleet of {after} starts beside the {now} that serve, {peak} instances at the peak; "
                f"traffic moves {_shift(wanted.spec.deployment_config)}."
            )
            yield "The new fleet starts with cold caches, so the time to first token rises until they are warm."
            if kept := sorted(wanted.scaled_variants):
                yield f"Scaled automatically, so the count is kept: {', '.join(kept)}."


def _shift(guardrails: DeploymentConfig | None) -> str:
    policy = guardrails.blue_green_update_policy if guardrails else None
    if policy is None:
        return "all at once"
    routing = policy.traffic_routing_configuration
    size = routing.canary_size or routing.linear_step_size
    wait = f"{routing.wait_interval_in_seconds:,} seconds"
    if size is None:
        return f"all at once, and is watched for {wait}"
    amount = f"{size.value} %" if size.type == "CAPACITY_PERCENT" else f"{size.value} instances"
    if routing.canary_size:
        return f"{amount} first, and the rest after {wait}"
    return f"in steps of {amount}, {wait} apart"


def _of_components(changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        if change.kind is not Kind.COMPONENT:
            continue
        if change.action is Action.REPLACE:
            yield f"{change.name} is deleted and made again; its requests fail in between."
        elif change.action is Action.DELETE:
            yield f"Requests to {change.name} fail once it is deleted."
        elif change.action is Action.UPDATE and any(each.path.startswith("specification") for each in change.fields):
            yield f"Copies of {change.name} are replaced batch by batch, and start with cold caches."
