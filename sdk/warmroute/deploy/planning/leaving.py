"""What an endpoint has and the spec does not: what goes at the end, what must go first, and what is left alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warmroute.deploy.ownership import is_owned
from warmroute.deploy.plan import Action, Change, Kind
from warmroute.deploy.planning.component_updates import base_of, last_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.planning.matching import Match
    from warmroute.deploy.wanted import ScalingKey, Wanted


@dataclass(frozen=True, slots=True)
class Leaving:
    """What goes, each in the order in which it goes."""

    components_first: tuple[str, ...]
    """Components that must go before the endpoint is updated, since the new configuration has no room for them."""

    orphans: tuple[str, ...]
    """Adapters that go before their base is made again, which cannot go while it has them."""

    components: tuple[str, ...]
    """Components that go when everything else serves; adapters before their bases."""

    replaced: Mapping[str, str]
    """Components of the spec that cannot be changed in place, with the reason."""

    targets_first: tuple[ScalingKey, ...]
    """Scalable targets of variants that leave; SageMaker does not remove a variant that is still scaled."""

    targets: tuple[ScalingKey, ...]
    """Scalable targets that go at the end."""

    policies: tuple[tuple[ScalingKey, str], ...]
    """Policies that go while their target stays."""

    targets_left_alone: Mapping[ScalingKey, str]
    """Scalable targets that the spec does not have and that stay, with the reason."""

    left_alone: tuple[str, ...]
    """Components on the endpoint that the spec does not have and that were not made here."""

    def changes(self, live: Live) -> Iterator[Change]:
        """What goes, as a plan shows it."""
        for key in (*self.targets_first, *self.targets):
            for name in live.scaling[key].policies:
                yield Change(Action.DELETE, Kind.SCALING_POLICY, name)
            yield Change(Action.DELETE, Kind.SCALABLE_TARGET, key[0])
        for _, name in self.policies:
            yield Change(Action.DELETE, Kind.SCALING_POLICY, name)
        for (resource, _), reason in self.targets_left_alone.items():
            yield Change(Action.NOTHING, Kind.SCALABLE_TARGET, resource, note=f"not in the spec; left alone: {reason}")
        for name in self.components_first:
            if name not in self.replaced:
                note = "before the update, since the new configuration has no room for it"
                yield Change(Action.DELETE, Kind.COMPONENT, name, note=note)
        for name in (*self.orphans, *self.components):
            yield Change(Action.DELETE, Kind.COMPONENT, name)
        for name in self.left_alone:
            yield Change(Action.NOTHING, Kind.COMPONENT, name, note="not in the spec and not warmroute's; left alone")


def leaving(wanted: Wanted, live: Live, found: Match) -> Leaving:
    """What of an endpoint leaves with a spec.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
    """
    endpoint = wanted.spec.name
    here = {name: each.described for name, each in live.components.items()}
    gone = {name for name in here if name not in wanted.components}
    own = {name for name in gone if is_owned(live.components[name].tags, endpoint)}
    replaced = dict(_replaced(wanted, live))
    homeless = (
        set() if found.same_config else {name for name, each in here.items() if each["VariantName"] not in wanted.hosts}
    )
    first = homeless & (own | replaced.keys())
    first |= {name for name in own | replaced.keys() if base_of(here[name]) in first}
    first -= {name for name in first if here[name]["InferenceComponentStatus"] == "Deleting"}
    orphans = {name for name in own - first if base_of(here[name]) in replaced}
    targets_first, targets, policies = _scaling(wanted, live)
    return Leaving(
        components_first=tuple(last_first(live.components, first)),
        orphans=tuple(last_first(live.components, orphans)),
        components=tuple(last_first(live.components, own - first - orphans)),
        replaced=replaced,
        targets_first=targets_first,
        targets=targets,
        policies=policies,
        targets_left_alone={
            key: reason
            for key, scaling in live.scaling.items()
            if key not in {each.key for each in wanted.scaling} and (reason := scaling.why_it_stays(endpoint))
        },
        left_alone=tuple(sorted(gone - own)),
    )


def beside_others(wanted: Wanted, live: Live) -> Wanted:
    """What is asked for, less the counts that somebody else's scaling decides: an update keeps those.

    Args:
        wanted: What is asked for.
        live: What the account has.
    """
    asked = {each.key for each in wanted.scaling}
    others = {
        key for key, scaling in live.scaling.items() if key not in asked and not scaling.is_removable(wanted.spec.name)
    }
    update = dict(wanted.update)
    if any(resource.startswith("endpoint/") for resource, _ in others):
        update.setdefault("RetainAllVariantProperties", True)
    return replace(wanted, update=update, scaled_by_others=frozenset(others))


def _replaced(wanted: Wanted, live: Live) -> Iterator[tuple[str, str]]:
    bases: set[str] = set()
    for name, parameters in wanted.components.items():
        existing = live.components.get(name)
        if existing is None:
            continue
        running = existing.described
        base = base_of(parameters)
        reason = ""
        if running["InferenceComponentStatus"] == "Failed":
            reason = "it failed"
        elif base != base_of(running):
            reason = "its base changes"
        elif base in bases:
            reason = "its base is replaced"
        elif base is None and parameters.get("VariantName") != running["VariantName"]:
            reason = "its variant changes"
        if reason:
            bases.add(name)
            yield name, reason


def _scaling(
    wanted: Wanted, live: Live
) -> tuple[tuple[ScalingKey, ...], tuple[ScalingKey, ...], tuple[tuple[ScalingKey, str], ...]]:
    endpoint = wanted.spec.name
    asked = {each.key: each for each in wanted.scaling}
    variants = {f"endpoint/{endpoint}/variant/{variant.name}" for variant in wanted.spec.variants}
    first: list[ScalingKey] = []
    last: list[ScalingKey] = []
    policies: list[tuple[ScalingKey, str]] = []
    for key, scaling in live.scaling.items():
        if key not in asked and scaling.is_removable(endpoint):
            (first if key[0].startswith("endpoint/") and key[0] not in variants else last).append(key)
        elif key not in asked or asked[key].policy is None:
            policies += [(key, name) for name in scaling.own_policies(endpoint)]
    return tuple(first), tuple(last), tuple(policies)
