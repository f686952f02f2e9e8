"""Whether what runs is what is asked for, by content rather than by name.

An endpoint that was not made here has models and a configuration of other names; and counts and weights can be changed
on an endpoint without another configuration. Neither is a reason for a new fleet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.contents import config_content, model_content, specifications_of, with_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.wanted import Wanted


@dataclass(frozen=True, slots=True)
class Match:
    """How the models and the configuration of a spec are called in the account."""

    models: Mapping[str, str]
    """By the name of a wanted model, the model of equal content that runs in its place."""

    predecessors: Mapping[str, str]
    """By the name of a wanted model, the model that runs in its place, equal or not."""

    same_config: bool
    """Whether the endpoint runs what is asked for, or is on its way there, apart from counts and weights."""

    config_name: str
    """The configuration that the endpoint shall run: the one that it has where that is the same."""


def match(wanted: Wanted, live: Live) -> Match:
    """Compare what is asked for with what runs.

    Args:
        wanted: What is asked for.
        live: What the account has.
    """
    predecessors: dict[str, str] = {}
    for name, running in _pairs(wanted, live):
        predecessors.setdefault(name, running)
    equal = {name: running for name, running in predecessors.items() if _is_equal(name, running, wanted, live)}
    same = live.config_name == wanted.config_name or (
        live.config is not None
        and config_content(with_models(wanted.config, equal), counts=False) == config_content(live.config, counts=False)
    )
    # A fleet whose roll-back failed serves a mix, which another update puts right.
    same = same and live.status != "UpdateRollbackFailed"
    return Match(equal, predecessors, same, live.config_name if same else wanted.config_name)


def _is_equal(name: str, running: str, wanted: Wanted, live: Live) -> bool:
    if name == running:
        return True
    if name not in wanted.models or running not in live.models:
        return False
    return model_content(wanted.models[name]) == model_content(live.models[running].described)


def _pairs(wanted: Wanted, live: Live) -> Iterator[tuple[str, str]]:
    """Wanted models, each with what runs in its place."""
    for family in ("ProductionVariants", "ShadowProductionVariants"):
        running = {each["VariantName"]: each for each in (live.config or {}).get(family, ())}
        for variant in wanted.config.get(family, ()):
            if variant["VariantName"] in running:
                yield from _of_variant(variant, running[variant["VariantName"]])
    for name, parameters in wanted.components.items():
        if name in live.components:
            pairs = zip(specifications_of(parameters), specifications_of(live.components[name].described), strict=False)
            for ours, theirs in pairs:
                yield from _named(ours, theirs, "ModelName")


def _of_variant(wanted: dict[str, Any], running: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _named(wanted, running, "ModelName")
    pools = {pool["InstanceType"]: pool for pool in running.get("InstancePools", ())}
    for pool in wanted.get("InstancePools", ()):
        yield from _named(pool, pools.get(pool["InstanceType"], {}), "ModelNameOverride")


def _named(wanted: dict[str, Any], running: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    if wanted.get(key) and running.get(key):
        yield wanted[key], running[key]
