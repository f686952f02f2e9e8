"""The inference components of an endpoint that exists, as values of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.contents import with_models, without_empty_model
from warmroute.deploy.ownership import operators_tags
from warmroute.deploy.planning.component_updates import as_asked, base_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.deploy.account.live import Existing, Live


def component_values(live: Live, called: Mapping[str, str]) -> list[dict[str, Any]]:
    """The components on an endpoint.

    Args:
        live: What the account has.
        called: By name of a model, what the spec calls it.
    """
    return [_component(name, existing, live, called) for name, existing in live.components.items()]


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
