"""Simulations of one workload under different routings, and how many requests they took."""

from __future__ import annotations

import hashlib
import struct
from collections import defaultdict
from dataclasses import replace
from math import inf, isnan
from statistics import fmean
from typing import TYPE_CHECKING

from warmroute.fleet import simulate
from warmroute.routing import RoutingConfig
from warmroute.tune.result import Expectation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.fleet import FleetConfig, FleetRequest, SimulationResult, Summary
    from warmroute.fleet.config import Change
    from warmroute.tune.candidates import Lengths
    from warmroute.tune.workload import Workload

SLOT_SECONDS = 10.0
"""Time over which requests in flight are averaged."""


class Trials:
    """Runs a workload.

    Args:
        work: What the fleet is asked.
        fleet: The fleet, its routing aside.
        lengths: Knows the keys of each prefix length.
    """

    def __init__(self, work: Workload, fleet: FleetConfig, lengths: Lengths) -> None:
        self.work, self.lengths = work, lengths
        self._fleet = fleet
        self.simulated_requests = 0
        self._without_overflow: dict[bytes, tuple[int, SimulationResult]] = {}
        """Runs in which nothing overflowed, by what was run: a higher threshold changes nothing about them."""

    def requests(self, prefix_length: int | None, *, seed: int, to_seconds: float = inf) -> list[FleetRequest]:
        """The requests up to a time, keyed for a prefix length; without one, all of one key."""
        if prefix_length is None:
            keyed = list(self.work.requests)
        else:
            keyed = self.work.keyed(self.lengths.keys(prefix_length), seed=seed)
        return [request for request in keyed if request.arrival_seconds < to_seconds]

    def run(
        self,
        routing: RoutingConfig,
        *,
        seed: int,
        to_seconds: float = inf,
        changes: tuple[Change, ...] = (),
    ) -> SimulationResult:
        """What the requests up to a time meet.

        Args:
            routing: How they are spread.
            seed: Places keys and draws what is left to chance.
            to_seconds: Later requests are left out.
            changes: What happens to the fleet.
        """
        settings = routing.prefix_aware_routing_config
        requests = self.requests(settings.prefix_length if settings else None, seed=seed, to_seconds=to_seconds)
        return self.run_requests(requests, routing, seed=seed, changes=changes)

    def run_requests(
        self,
        requests: Sequence[FleetRequest],
        routing: RoutingConfig,
        *,
        seed: int,
        changes: tuple[Change, ...] = (),
    ) -> SimulationResult:
        """The same of requests that are given."""
        settings = routing.prefix_aware_routing_config
        threshold = settings.concurrency_threshold if settings else 0
        same = hashlib.sha256(repr((routing.routing_strategy, seed, changes)).encode())
        for request in requests:
            same.update(request.key + struct.pack("d", request.arrival_seconds))
        known = self._without_overflow.get(same.digest())
        if known is not None and threshold >= known[0]:
            return known[1]
        self.simulated_requests += len(requests)
        result = simulate(requests, replace(self._fleet, routing=routing, changes=changes), seed=seed)
        if settings and not any(record.overflowed for record in result):
            self._without_overflow[same.digest()] = threshold, result
        return result


def prefix_aware(prefix_length: int, concurrency_threshold: int) -> RoutingConfig:
    """PREFIX_AWARE with two values."""
    return RoutingConfig.prefix_aware(prefix_length=prefix_length, concurrency_threshold=concurrency_threshold)


def expectation(summaries: Sequence[Summary], instances: int) -> Expectation:
    """The mean of runs that differ by their seed.

    Args:
        summaries: One for each run.
        instances: Instances that could have served.
    """
    means = [each.ttft.mean for each in summaries]
    shares = [_shares(each, instances) for each in summaries]
    return Expectation(
        ttft_p50=fmean(each.ttft.p50 for each in summaries),
        ttft_p90=fmean(each.ttft.p90 for each in summaries),
        ttft_p99=fmean(each.ttft.p99 for each in summaries),
        ttft_mean=fmean(means),
        hit_rate=fmean(each.hit_rate for each in summaries),
        overflow_share=fmean(each.overflow_share for each in summaries),
        least_share=fmean(min(each) for each in shares),
        largest_share=fmean(max(each) for each in shares),
        output_tokens_per_second=fmean(each.output_tokens_per_second for each in summaries),
        ttft_mean_least=min(means),
        ttft_mean_most=max(means),
    )


def peak_in_flight(result: SimulationResult, instances: int) -> float:
    """Requests in flight on an instance, in the busiest 10 s of a run; infinite where they grow without end.

    By Little's law the level of a stretch is its arrivals times their mean time, over its length.
    """
    busy: defaultdict[int, float] = defaultdict(float)
    times = []
    for record in result:
        if not isnan(record.e2e_seconds):
            times.append(record.e2e_seconds)
            _add_time(busy, record.arrival_seconds, record.arrival_seconds + record.e2e_seconds)
    third = len(times) // 3
    if third and fmean(times[-third:]) > 3 * fmean(times[:third]) and fmean(times[-third:]) > SLOT_SECONDS:
        return inf
    return max(busy.values(), default=0.0) / SLOT_SECONDS / instances


def _add_time(busy: defaultdict[int, float], begin: float, end: float) -> None:
    """Add the seconds between two times to the slots that they fall in."""
    slot = int(begin // SLOT_SECONDS)
    while begin < end:
        edge = min(end, (slot + 1) * SLOT_SECONDS)
        busy[slot] += edge - begin
        begin, slot = edge, slot + 1


def _shares(summary: Summary, instances: int) -> list[float]:
    shares = list(summary.share_by_instance.values())
    return shares + [0.0] * (instances - len(shares))
