"""From what is asked for and what runs to a plan, before anything is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.deploy.account.contents import config_content, model_content, models_of, with_models
from warmroute.deploy.ownership import is_owned
from warmroute.deploy.plan import Action, Change, Kind, Plan, Rollout
from warmroute.deploy.planning.components import component_changes, models_of_changed
from warmroute.deploy.planning.counts import capacity_changes_now, capacity_fields, instance_counts
from warmroute.deploy.planning.differences import differences, tag_differences
from warmroute.deploy.planning.leaving import Leaving, leaving
from warmroute.deploy.planning.refusals import findings
from warmroute.deploy.planning.scaling import scaling_changes
from warmroute.deploy.planning.traffic import traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.account.clean_up import CleanUp
    from warmroute.deploy.account.live import Existing, Live
    from warmroute.deploy.planning.matching import Match
    from warmroute.deploy.wanted import Wanted


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan, and what it was made from."""

    plan: Plan
    wanted: Wanted
    live: Live
    match: Match
    leaving: Leaving
    needed_models: tuple[str, ...]
    """Models of the spec that something new refers to, so that they must exist."""

    makes_config: bool
    """Whether the spec's configuration is to exist."""


def draft(wanted: Wanted, live: Live, found: Match, clean_up: CleanUp, *, adopt: bool) -> Draft:
    """Plan an apply.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
        clean_up: What becomes superfluous.
        adopt: Whether an endpoint that was not made here is taken over.
    """
    leaves = leaving(wanted, live, found)
    components = list(component_changes(wanted, live, found, leaves))
    needed = dict.fromkeys(() if found.same_config else models_of(wanted.config))
    needed |= dict.fromkeys(models_of_changed(wanted, live, found, components))
    needed_models = tuple(name for name in needed if name in wanted.models)
    rollout = _rollout(wanted, live, found)
    # One that is in force and yet gone was deleted by somebody.
    makes_config = not found.same_config or (live.config is None and found.config_name == wanted.config_name)
    changes = (
        *_models(wanted, live, found, needed_models),
        _config(wanted, live, found, makes_config=makes_config),
        _endpoint(wanted, live, found, rollout, adopt=adopt),
        *components,
        *scaling_changes(wanted, live),
        *leaves.changes(live),
        *(Change(Action.DELETE, Kind.ENDPOINT_CONFIG, name, note=_SUPERFLUOUS) for name in clean_up.configs),
        *(Change(Action.DELETE, Kind.MODEL, name, note=_SUPERFLUOUS) for name in clean_up.models),
    )
    instances = instance_counts(wanted, live, rollout)
    plan = Plan(
        endpoint=wanted.spec.name,
        region=wanted.region,
        changes=changes,
        rollout=rollout,
        traffic=traffic(wanted, instances, rollout, changes),
        instances=instances,
        findings=findings(
            wanted,
            live,
            found,
            leaves,
            changes=changes,
            needed_models=needed_models,
            makes_config=makes_config,
            adopt=adopt,
        ),
    )
    return Draft(plan, wanted, live, found, leaves, needed_models, makes_config)


_SUPERFLUOUS = "older than those that are kept"


def _rollout(wanted: Wanted, live: Live, found: Match) -> Rollout:
    if live.endpoint is None:
        return Rollout.CREATE
    if not found.same_config:
        guardrails = wanted.spec.deployment_config
        rolling = guardrails and guardrails.rolling_update_policy
        return Rollout.ROLLING if rolling and len(wanted.spec.all_variants) == 1 else Rollout.BLUE_GREEN
    return Rollout.IN_PLACE if capacity_changes_now(wanted, live.endpoint) else Rollout.NONE


def _models(wanted: Wanted, live: Live, found: Match, needed: tuple[str, ...]) -> Iterator[Change]:
    for name, parameters in wanted.models.items():
        running = found.models.get(name)
        if name not in needed and (running or name not in live.models):
            if running:
                yield _tagged(wanted, Kind.MODEL, running, live.models.get(running))
            continue
        if name in live.models:
            yield _tagged(wanted, Kind.MODEL, name, live.models[name])
            continue
        before = found.predecessors.get(name)
        if before is None or before not in live.models:
            yield Change(Action.CREATE, Kind.MODEL, name)
            continue
        fields = differences(model_content(live.models[before].described), model_content(parameters))
        note = "" if fields else "the same content as a model of warmroute's own"
        yield Change(Action.REPLACE, Kind.MODEL, name, fields, note, replaces=before)


def _config(wanted: Wanted, live: Live, found: Match, *, makes_config: bool) -> Change:
    existing = live.configs.get(wanted.config_name)
    if found.same_config and not makes_config:
        return _tagged(wanted, Kind.ENDPOINT_CONFIG, found.config_name, live.configs.get(found.config_name))
    if live.config_name == wanted.config_name and live.config is not None:
        note = "deployed again, since a roll-back failed and the fleet serves a mix"
        return Change(Action.NOTHING, Kind.ENDPOINT_CONFIG, wanted.config_name, note=note)
    if live.config is None:
        action = Action.NOTHING if existing else Action.CREATE
        return Change(action, Kind.ENDPOINT_CONFIG, wanted.config_name)
    names = {**found.predecessors, **found.models}
    fields = differences(config_content(live.config), config_content(with_models(wanted.config, names)))
    note = "made earlier, and kept" if existing else ""
    return Change(Action.REPLACE, Kind.ENDPOINT_CONFIG, wanted.config_name, fields, note, replaces=live.config_name)


def _tagged(wanted: Wanted, kind: Kind, name: str, existing: Existing | None) -> Change:
    """A resource that stays, with the tags that it may lack; nobody else's is tagged."""
    if existing is None or not is_owned(existing.tags, wanted.spec.name):
        return Change(Action.NOTHING, kind, name)
    fields = tag_differences(existing.tags, wanted.tags)
    return Change(Action.UPDATE if fields else Action.NOTHING, kind, name, fields)


def _endpoint(wanted: Wanted, live: Live, found: Match, rollout: Rollout, *, adopt: bool) -> Change:
    name = wanted.spec.name
    if live.endpoint is None:
        return Change(Action.CREATE, Kind.ENDPOINT, name)
    fields = capacity_fields(capacity_changes_now(wanted, live.endpoint), live.endpoint.get("ProductionVariants", ()))
    if found.same_config:
        if live.is_owned or adopt:
            fields += tag_differences(live.tags, wanted.tags)
        pending = live.status in {"Creating", "Updating"}
        note = "on its way to what is asked for" if pending else ""
        return Change(Action.UPDATE if fields else Action.NOTHING, Kind.ENDPOINT, name, fields, note)
    to = differences(live.config_name, wanted.config_name, "endpoint_config_name")
    return Change(Action.UPDATE, Kind.ENDPOINT, name, to, f"{rollout} update")
