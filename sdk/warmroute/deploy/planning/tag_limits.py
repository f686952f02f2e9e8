"""Resources that have no room left for the tags that a deployment would give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.deploy.ownership import ADOPTED_TAG, MAX_TAGS, NOTE_TAGS, is_owned
from warmroute.deploy.plan import Kind
from warmroute.errors import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from warmroute.deploy.account.live import Existing, Live
    from warmroute.deploy.planning.matching import Match
    from warmroute.deploy.wanted import Wanted


class _Tagged(NamedTuple):
    """A resource that exists and gets tags."""

    kind: Kind
    name: str
    present: Mapping[str, str]
    added: frozenset[str]
    """Keys that it gets, those that it has among them."""

    room: frozenset[str] = frozenset()
    """Keys that it gets later, for which there must be room as well."""


def crowded(
    wanted: Wanted,
    live: Live,
    found: Match,
    *,
    needed_models: Iterable[str],
    makes_config: bool,
    adopt: bool,
) -> Iterator[Finding]:
    """What would have more tags than AWS allows; AWS would refuse that in the middle of the deployment.

    Args:
        wanted: What is asked for.
        live: What the account has.
        found: How the two compare.
        needed_models: Models of the spec that must exist.
        makes_config: Whether the spec's configuration is to exist.
        adopt: Whether what was not made here is taken over.
    """
    noted = _noted(wanted, live, found, needed_models, makes_config=makes_config)
    for each in (*_tagged(wanted, live, found, adopt=adopt), *noted):
        # AWS's own tags do not count. Source: AWS Tag Editor, tag naming limits.
        present = {key for key in each.present if not key.startswith("aws:")}
        total = len(present | each.added | each.room)
        if total > MAX_TAGS and not each.added <= present:
            message = f"The {each.kind} {each.name} would need {total} tags, of which it has {len(present)}."
            remedy = f"AWS allows {MAX_TAGS}: take {total - MAX_TAGS} away, from it or from the spec."
            yield Finding("WR818", Severity.ERROR, "tags", message, remedy, "botocore TagList")


def _tagged(wanted: Wanted, live: Live, found: Match, *, adopt: bool) -> Iterator[_Tagged]:
    """The endpoint and its components, which get the spec's tags."""
    keys = frozenset(tag["Key"] for tag in wanted.tags)
    if live.endpoint is not None and (live.is_owned or adopt or not found.same_config):
        adopted = frozenset({ADOPTED_TAG} if adopt and not live.is_owned else ())
        yield _Tagged(Kind.ENDPOINT, live.name, live.tags, keys | adopted)
    for name, parameters in wanted.components.items():
        existing = live.components.get(name)
        if existing and (adopt or is_owned(existing.tags, live.name)):
            own = frozenset(tag["Key"] for tag in parameters["Tags"])
            yield _Tagged(Kind.COMPONENT, name, existing.tags, own)


def _noted(
    wanted: Wanted, live: Live, found: Match, needed_models: Iterable[str], *, makes_config: bool
) -> Iterator[_Tagged]:
    """Models and configurations, which get the spec's tags, and notes now or later."""
    keys = frozenset(tag["Key"] for tag in wanted.tags)
    needed = set(needed_models)
    used = {*needed, *found.models.values()}
    resources: list[tuple[Kind, str, Existing | None, bool]] = [
        *((Kind.MODEL, name, live.models.get(name), name in needed) for name in sorted(used)),
        (Kind.ENDPOINT_CONFIG, found.config_name, live.configs.get(found.config_name), makes_config),
    ]
    for kind, name, existing, claimed in resources:
        if existing and (claimed or is_owned(existing.tags, live.name)):
            # A claim is written whenever something is put to use.
            yield _Tagged(kind, name, existing.tags, keys | (NOTE_TAGS if claimed else frozenset()), NOTE_TAGS)
