"""An endpoint as it stands, for those who watch it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.progress import Progress, VariantProgress

if TYPE_CHECKING:
    from collections.abc import Mapping


def endpoint_look(name: str, state: Mapping[str, Any], waited_seconds: float) -> Progress:
    """What one look at an endpoint shows.

    Args:
        name: The endpoint.
        state: What DescribeEndpoint says.
        waited_seconds: How long it has been waited for.
    """
    status, variants = state["EndpointStatus"], state.get("ProductionVariants", [])
    pending = state.get("PendingDeploymentSummary", {}).get("ProductionVariants", [])
    return Progress(
        "ready" if status == "InService" else "waiting",
        "endpoint",
        name,
        status,
        sum(variant.get("CurrentInstanceCount", 0) for variant in variants),
        sum(variant.get("DesiredInstanceCount", 0) for variant in variants),
        _variants(variants, pending),
        waited_seconds,
    )


def _variants(variants: list[dict[str, Any]], pending: list[dict[str, Any]]) -> tuple[VariantProgress, ...]:
    running = {each["VariantName"]: each for each in variants}
    coming = {each["VariantName"]: each for each in pending}
    return tuple(_variant(name, running.get(name, {}), coming.get(name)) for name in {**running, **coming})


def _variant(name: str, running: Mapping[str, Any], coming: Mapping[str, Any] | None) -> VariantProgress:
    stages = [each["Status"] for each in ((coming or {}).get("VariantStatus") or running.get("VariantStatus") or [])]
    return VariantProgress(
        name,
        running.get("CurrentInstanceCount", 0),
        running.get("DesiredInstanceCount", 0),
        running.get("CurrentWeight", 0.0),
        coming.get("CurrentInstanceCount", 0) if coming is not None else None,
        coming.get("DesiredInstanceCount", 0) if coming is not None else None,
        ", ".join(dict.fromkeys(stages)),
    )
