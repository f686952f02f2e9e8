"""What is wrong with a deployment before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.ownership import OWNER_TAG, is_owned
from warmroute.deploy.plan import Action
from warmroute.deploy.planning.component_updates import base_of
from warmroute.deploy.planning.tag_limits import crowded
from warmroute.errors import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.plan import Change
    from warmroute.deploy.planning.leaving import Leaving
    from warmroute.deploy.planning.matching import Match
    from warmroute.deploy.wanted import Wanted

STACK_TAG = "aws:cloudformation:stack-name"
"""Tag that CloudFormation puts on what it makes."""


def findings(
    wanted: Wanted,
    live: Live,
    found: Match,
    leaves: Leaving,
    *,
    changes: Iterable[Change],
    needed_models: Iterable[str],
    makes_config: bool,
    adopt: bool,
) -> tuple[Finding, ...]:
    """What is wrong, errors first; an error stops the deployment.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
        leaves: What goes.
        changes: What becomes of each resource.
        needed_models: Models of the spec that must exist.
        makes_config: Whether the spec's configuration is to exist.
        adopt: Whether an endpoint that was not made here is taken over.
    """
    is_empty = all(change.action is Action.NOTHING for change in changes)
    return (
        *_of_state(wanted, live, found),
        *_of_ownership(live, is_empty=is_empty, adopt=adopt),
        *_of_components(wanted, live, leaves, found, adopt=adopt),
        *crowded(wanted, live, found, needed_models=needed_models, makes_config=makes_config, adopt=adopt),
        *_of_age(wanted, live, found),
        *_of_scaling(live, leaves),
    )


def _of_state(wanted: Wanted, live: Live, found: Match) -> Iterator[Finding]:
    """An endpoint that failed, or that is on its way to something else."""
    name, status = wanted.spec.name, live.status
    if live.endpoint is None:
        return
    if status == "Failed":
        reason = str(live.endpoint.get("FailureReason", "no reason given")).rstrip(".")
        yield _error(
            "WR811",
            f"Endpoint {name} is in state Failed: {reason}.",
            f"SageMaker cannot update it: delete it (`warmroute destroy {name}`), then apply again.",
        )
        return
    on_its_way = status in {"Creating", "Updating"} and found.same_config
    if status not in {"InService", "UpdateRollbackFailed"} and not on_its_way:
        lasting = status in {"OutOfService", "Deleting"}
        yield _error(
            "WR812",
            f"Endpoint {name} is in state {status}, so it cannot be changed now.",
            "Apply again once it is deleted." if lasting else "Wait until it is InService, then apply again.",
        )


def _of_ownership(live: Live, *, is_empty: bool, adopt: bool) -> Iterator[Finding]:
    if live.endpoint is None or live.is_owned or adopt:
        return
    stack = live.tags.get(STACK_TAG)
    by = f"; CloudFormation made it (stack {stack})" if stack else ""
    message = f"Endpoint {live.name} was not made by warmroute{by}."
    if is_empty:
        yield Finding("WR813", Severity.WARNING, "name", message, "It is as the spec has it; --adopt takes it over.")
    else:
        yield _error("WR813", message, "Give the spec another name, or take the endpoint over with --adopt.", "name")


def _of_components(wanted: Wanted, live: Live, leaves: Leaving, found: Match, *, adopt: bool) -> Iterator[Finding]:
    endpoint = wanted.spec.name
    for name, elsewhere in live.components_elsewhere.items():
        yield _error(
            "WR814",
            f"Inference component {name} belongs to endpoint {elsewhere}.",
            "Names of components are unique in an account and region: give this one another name.",
        )
    for name in wanted.components:
        existing = live.components.get(name)
        if live.is_owned and not adopt and existing and not is_owned(existing.tags, endpoint):
            yield _error(
                "WR815",
                f"Inference component {name} on endpoint {endpoint} was not made by warmroute.",
                f"Give it another name in the spec, or take it over with --adopt (it lacks the tag {OWNER_TAG}).",
            )
    going = {*leaves.components, *leaves.orphans, *leaves.components_first, *leaves.replaced}
    for name in leaves.left_alone:
        running = live.components[name].described
        homeless = not found.same_config and running["VariantName"] not in wanted.hosts
        if base_of(running) in going or homeless:
            yield _error(
                "WR816",
                f"Inference component {name} was not made by warmroute and stands in the way: "
                f"{'its variant' if homeless else base_of(running)} would go.",
                "Delete it first, or keep what it needs in the spec.",
            )


def _of_age(wanted: Wanted, live: Live, found: Match) -> Iterator[Finding]:
    """A configuration that the endpoint ran before the one that it runs now."""
    times = {each.name: each for each in live.configurations}
    asked, running = times.get(wanted.config_name), times.get(live.config_name)
    if found.same_config or asked is None or running is None or asked.served is None:
        return
    if asked.last_used < running.last_used:
        yield Finding(
            "WR817",
            Severity.WARNING,
            "",
            f"The spec is older than what runs: {asked.name} served until {running.name} took its place "
            f"({running.last_used:%Y-%m-%d %H:%M} UTC).",
            "Where that is not meant, use the newest spec.",
        )


def _of_scaling(live: Live, leaves: Leaving) -> Iterator[Finding]:
    """Scaling that somebody has suspended, which the limits and the policies do not show."""
    for key, scaling in live.scaling.items():
        if scaling.suspended and key not in {*leaves.targets_first, *leaves.targets}:
            yield Finding(
                "WR819",
                Severity.WARNING,
                "",
                f"Of {key[0]}, {' and '.join(scaling.suspended)} is suspended, and an apply leaves it so.",
                "To resume it: aws application-autoscaling register-scalable-target with --suspended-state.",
            )


def _error(id_: str, message: str, remedy: str, path: str = "") -> Finding:
    return Finding(id_, Severity.ERROR, path, message, remedy)
