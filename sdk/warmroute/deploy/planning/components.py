"""What becomes of each inference component of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.deploy.account.contents import models_of_component
from warmroute.deploy.plan import Action, Change, Kind
from warmroute.deploy.planning.component_updates import component_update, update_fields
from warmroute.deploy.planning.differences import tag_differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.planning.leaving import Leaving
    from warmroute.deploy.planning.matching import Match
    from warmroute.deploy.wanted import Wanted


def component_changes(wanted: Wanted, live: Live, found: Match, leaves: Leaving) -> Iterator[Change]:
    """What becomes of each component of a spec, adapters after their bases.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
        leaves: What goes.
    """
    for name, parameters in wanted.components.items():
        existing = live.components.get(name)
        if existing is None or existing.described["InferenceComponentStatus"] == "Deleting":
            yield Change(Action.CREATE, Kind.COMPONENT, name)
            continue
        if name in leaves.replaced:
            note = f"{leaves.replaced[name]}: deleted and made again, and not served in between"
            yield Change(Action.REPLACE, Kind.COMPONENT, name, note=note)
            continue
        update = component_update(wanted, parameters, existing.described, found.models)
        fields = update_fields(update, existing.described, found.models) if update else ()
        fields += tag_differences(existing.tags, parameters["Tags"]) if live.is_owned else ()
        note = "copies are replaced batch by batch" if update and update.keys() & {"Specification"} else ""
        yield Change(Action.UPDATE if fields else Action.NOTHING, Kind.COMPONENT, name, fields, note)


def models_of_changed(wanted: Wanted, live: Live, found: Match, changes: Iterable[Change]) -> Iterator[str]:
    """The models that new or changed components refer to.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
        changes: What becomes of each component.
    """
    for change in changes:
        parameters = wanted.components[change.name]
        if change.action is Action.NOTHING:
            continue
        if change.action is Action.UPDATE:
            update = component_update(wanted, parameters, live.components[change.name].described, found.models)
            if not update or not update.keys() & {"Specification", "Specifications"}:
                continue
        yield from models_of_component(parameters)
