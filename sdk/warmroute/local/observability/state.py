"""The state of the local endpoint as a JSON document."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from warmroute.local.observability.overview import overview, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warmroute.local.data import Fleets, ServedEndpoint, VariantFleet
    from warmroute.local.observability.overview import SeenFleet, SeenInstance

FORMAT = 1
"""Changes when a field changes its meaning or goes; new fields may come."""

RECENT_SECONDS = 60.0
"""Times to first token are those of so long before."""


async def state_document(fleets: Fleets, started: datetime) -> dict[str, Any]:
    """Every endpoint, its fleets and their instances, with their figures; nothing of any request's content.

    Args:
        fleets: Those of the data plane.
        started: When the process began to serve.
    """
    return {
        "format": FORMAT,
        "time": datetime.now(UTC).isoformat(),
        "started": started.isoformat(),
        "recent_seconds": RECENT_SECONDS,
        "refused": dict(sorted(fleets.refused.items())),
        "endpoints": [_endpoint(endpoint, seen) for endpoint, seen in await overview(fleets)],
    }


def _endpoint(endpoint: ServedEndpoint, fleets: Sequence[SeenFleet]) -> dict[str, Any]:
    state = endpoint.state
    return {
        "name": state.name,
        "account": endpoint.account,
        "region": endpoint.region,
        "status": state.status,
        "endpoint_config": state.endpoint_config_name,
        # A variant of an endpoint with components has no instances of its own to send requests to.
        "fleets": [_fleet(seen) for seen in fleets if seen.fleet.component or seen.fleet.variant.model_name],
    }


def _fleet(seen: SeenFleet) -> dict[str, Any]:
    fleet, variant = seen.fleet, seen.fleet.variant
    figures = _figures(seen.instances)
    adapters = [each.name for each in seen.endpoint.state.components if each.base and each.base == fleet.component]
    return {
        "variant": variant.name,
        "component": fleet.component or None,
        "adapters": adapters,
        "weight": variant.weight,
        "instance_type": variant.instance_type,
        "routing": _routing(fleet),
        **figures,
        "instances": [
            {
                "id": each.instance.id,
                "status": each.status,
                "share": _ratio(each.instance.requests, figures["requests"]),
                **_figures([each]),
            }
            for each in seen.instances
        ],
    }


def _routing(fleet: VariantFleet) -> dict[str, Any]:
    routing = fleet.routing
    settings = routing.prefix_aware_routing_config if routing else None
    return {
        "routing_strategy": routing.routing_strategy if routing else "RANDOM",
        "prefix_length": settings.prefix_length if settings else None,
        "concurrency_threshold": settings.concurrency_threshold if settings else None,
    }


def _figures(seen: Sequence[SeenInstance]) -> dict[str, Any]:
    instances, counts = [each.instance for each in seen], [each.counts for each in seen]
    requests = sum(each.requests for each in instances)
    overflows = sum(each.overflows for each in instances)
    queried, hits = total(each.queried_tokens for each in counts), total(each.hit_tokens for each in counts)
    recent = sorted(seconds for each in instances for seconds in each.ttft.latest(RECENT_SECONDS))
    failures = {kind for each in instances for kind in each.failures}
    return {
        "requests": requests,
        "in_flight": sum(each.in_flight for each in instances),
        "overflow_requests": overflows,
        "overflow_share": _ratio(overflows, requests),
        "displaced_requests": sum(each.sent_away for each in instances),
        "failures": {str(kind): sum(each.failures[kind] for each in instances) for kind in sorted(failures)},
        "queried_tokens": queried,
        "hit_tokens": hits,
        "hit_rate": _ratio(hits, queried),
        "waiting": total(each.waiting for each in counts),
        "kv_cache_usage": _most(each.kv_cache_usage for each in counts),
        "recent_ttft": {
            "answers": len(recent),
            "p50_seconds": _quantile(recent, 0.5),
            "p90_seconds": _quantile(recent, 0.9),
        },
    }


def _ratio(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _quantile(ordered: Sequence[float], quantile: float) -> float | None:
    """The smallest value that so many do not exceed."""
    return ordered[math.ceil(quantile * len(ordered)) - 1] if ordered else None
