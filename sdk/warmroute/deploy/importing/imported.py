"""The spec of an endpoint as it stands, in the clearest words that lose nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.clean_up import CleanUp
from warmroute.deploy.account.contents import with_models, without_empty_model
from warmroute.deploy.importing.components import component_values
from warmroute.deploy.importing.models import Form, ModelNames, model_values
from warmroute.deploy.importing.scaling import scaling_left_out, scaling_values
from warmroute.deploy.ownership import operators_tags
from warmroute.deploy.planning.draft import draft
from warmroute.deploy.planning.matching import match
from warmroute.deploy.wanted import wanted_by
from warmroute.errors import DeploymentError, WarmrouteError
from warmroute.hosting import EndpointSpec
from warmroute.hosting.described import spec_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.deploy.account.live import Live
    from warmroute.deploy.plan import Change


@dataclass(frozen=True, slots=True)
class Imported:
    """The spec of an endpoint that exists."""

    spec: EndpointSpec

    differences: tuple[Change, ...]
    """What a plan on the spec would still change, since a spec cannot say it; empty as a rule."""

    secrets: tuple[str, ...]
    """Variables in the spec that look as if they held a secret."""

    left_out: tuple[str, ...] = ()
    """Scaling that a spec has no words for, a phrase each: policies of other kinds, schedules, what is suspended."""


def import_spec(live: Live, region: str) -> Imported:
    """The spec that an endpoint is.

    A model is told as a vLLM server where its container can be, else as its container, else by its name in the
    account; the first form on which a plan has nothing to do is taken.

    Args:
        live: What the account has; there is an endpoint.
        region: AWS region.

    Raises:
        DeploymentError: Its configuration is gone, or no spec can say it.
    """
    if live.endpoint is None or live.config is None:
        raise DeploymentError(
            f"The configuration {live.config_name} of endpoint {live.name} has been deleted, so it cannot be read.",
            "Apply a spec to the endpoint to give it one again.",
        )
    best: tuple[EndpointSpec, tuple[Change, ...]] | None = None
    refusal: WarmrouteError | None = None
    for form in Form:
        try:
            spec = EndpointSpec.parse(_values(live, region, form), name=live.name)
            left = _left(spec, live, region)
        except WarmrouteError as error:
            refusal = refusal or error
            continue
        if best is None or len(left) < len(best[1]):
            best = spec, left
        if not left:
            break
    if best is None:
        raise DeploymentError(f"Endpoint {live.name} cannot be told as a spec: {refusal}")
    return Imported(*best, secrets=_secrets(best[0]), left_out=tuple(scaling_left_out(live)))


def _left(spec: EndpointSpec, live: Live, region: str) -> tuple[Change, ...]:
    """What a plan on a spec would still change."""
    wanted, known = wanted_by(spec, region), replace(live, components_elsewhere={})
    plan = draft(wanted, known, match(wanted, known), CleanUp(), adopt=False).plan
    return tuple(change for change in plan.changes if change.action != "nothing")


def _values(live: Live, region: str, form: Form) -> dict[str, Any]:
    config = live.config or {}
    names = ModelNames.of(live)
    values = spec_values({**config, "EndpointName": live.name})
    for descriptive in ("EndpointName", "Region", "ProductionVariants", "ShadowProductionVariants"):
        values.pop(descriptive, None)
    values = {key: value for key, value in values.items() if value is not False}
    inherited, models = model_values(live, region, form, names)
    guardrails = (live.endpoint or {}).get("LastDeploymentConfig")
    called = names.called(form)
    found: dict[str, Any] = {
        "name": live.name,
        "region": region,
        **inherited,
        **values,
        **models,
        "variants": _variants(live, "ProductionVariants", called),
        "shadow_variants": _variants(live, "ShadowProductionVariants", called),
        "inference_components": component_values(live, called),
        "auto_scaling": scaling_values(live),
        "deployment_config": guardrails,
        "tags": operators_tags(live.tags),
    }
    return {key: value for key, value in found.items() if value}


def _variants(live: Live, family: str, called: Mapping[str, str]) -> list[dict[str, Any]]:
    """The variants, with the counts and weights that they have now rather than those that they began with."""
    states = {each["VariantName"]: each for each in (live.endpoint or {}).get(family, ())}
    scaled = {key[0].rpartition("/")[2] for key in live.scaling if key[0].startswith("endpoint/")}
    found = []
    for variant in (live.config or {}).get(family, ()):
        state = states.get(variant["VariantName"], {})
        values = {key: value for key, value in variant.items() if value is not None and value is not False}
        managed = variant.get("ManagedInstanceScaling", {})
        is_managed = bool(managed) and managed.get("Status") != "DISABLED"
        if state.get("DesiredInstanceCount") and variant["VariantName"] not in scaled and not is_managed:
            values["InitialInstanceCount"] = state["DesiredInstanceCount"]
        if family == "ProductionVariants" and "DesiredWeight" in state:
            values["InitialVariantWeight"] = round(state["DesiredWeight"], 6)
        found.append(without_empty_model(with_models(values, called)))
    return found


def _secrets(spec: EndpointSpec) -> tuple[str, ...]:
    found = set()
    for variant in spec.all_variants:
        for environment in spec.environments(variant):
            found |= {name for name in environment if _SECRET.search(name)}
    return tuple(sorted(found))


# Tokens in the plural are those that a model counts: SM_VLLM_MAX_NUM_BATCHED_TOKENS.
_SECRET = re.compile(r"TOKEN(?!S)|SECRET|PASSWORD|API_KEY|CREDENTIAL", re.IGNORECASE)
