"""One routing on a whole trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.tune.affinity import SharedTokens
from warmroute.tune.candidates import Lengths
from warmroute.tune.trials import Trials, expectation
from warmroute.tune.tuning import api_of
from warmroute.tune.workload import workload

if TYPE_CHECKING:
    from warmroute.fleet import FleetConfig
    from warmroute.inference_api import Api
    from warmroute.routing import RoutingConfig
    from warmroute.tune.result import Expectation
    from warmroute.tune.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What the requests of a trace meet under one routing."""

    routing_strategy: str
    prefix_length: int | None
    concurrency_threshold: int | None
    expectation: Expectation
    requests: int
    requests_per_second: float
    seed: int
    notes: tuple[str, ...]
    cautions: tuple[str, ...]


def simulate_trace(
    trace: Trace,
    fleet: FleetConfig,
    routing: RoutingConfig,
    *,
    api: Api | None = None,
    requests_per_second: float | None = None,
    seed: int = 0,
) -> Simulated:
    """Serve a trace with one routing.

    Args:
        trace: The requests.
        fleet: The fleet, its routing aside.
        routing: The routing.
        api: The API that the requests come by; None for the one that the trace tells.
        requests_per_second: Mean rate of arrival; None for that of the trace.
        seed: Of every chance.

    Raises:
        WarmrouteError: The keys at the prefix length are unknown.
    """
    work = workload(
        trace.observed,
        instances=fleet.instances,
        profile=fleet.profile,
        requests_per_second=requests_per_second,
        seed=seed,
    )
    settings = routing.prefix_aware_routing_config
    shared = SharedTokens(work.requests, block_size=fleet.profile.block_size)
    targets = fleet.instances * fleet.copies_per_instance
    # Without a prefix length no key is looked at, so that any trace will do.
    found = api_of(trace.observed, api) if settings else "openai"
    lengths = Lengths(trace.observed, work, shared, found, instances=targets, finer=trace.finer)
    if settings and lengths.nearest(settings.prefix_length) != settings.prefix_length:
        near = lengths.nearest(settings.prefix_length)
        raise WarmrouteError(
            f"The digest does not tell the routing keys at a prefix length of {settings.prefix_length:,}.",
            f"Use {near:,}, the nearest that it does, or give the recorded traffic instead of its digest.",
        )
    result = Trials(work, fleet, lengths).run(routing, seed=seed)
    summary = result.summary()
    return Simulated(
        routing_strategy=str(routing.routing_strategy),
        prefix_length=settings.prefix_length if settings else None,
        concurrency_threshold=settings.concurrency_threshold if settings else None,
        expectation=expectation([summary], fleet.instances),
        requests=summary.requests,
        requests_per_second=work.requests_per_second,
        seed=seed,
        notes=work.notes,
        cautions=trace.cautions,
    )
