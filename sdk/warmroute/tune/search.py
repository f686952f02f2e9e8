"""Finds the length and the threshold: in simulation, on the first half of the trace."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from warmroute.routing import MAX_CONCURRENCY_THRESHOLD, RoutingConfig
from warmroute.tune.candidates import candidate_lengths, candidate_thresholds, plateau, roomy_threshold
from warmroute.tune.result import Collapse, Margin
from warmroute.tune.robustness import Robustness
from warmroute.tune.trials import Trials, peak_in_flight, prefix_aware

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.fleet import Summary

FLAT = 0.02
"""Configurations whose mean TTFT is within 2 % of the best are taken for equal."""

_WARM_UP = 0.2
"""Part of the searched requests that is not measured: caches fill."""

_FINALISTS = 2

Cost = tuple[float, float]
"""How far the P90 misses the objective, and the mean TTFT."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the search chose."""

    prefix_length: int
    concurrency_threshold: int
    is_safe: bool
    """Whether it recovered from every disturbance."""

    flat_lengths: tuple[int, int]
    flat_thresholds: tuple[int, int]
    thresholds: tuple[int, ...]
    """All that were tried."""

    margin: Margin


class Search:
    """A search on the requests that arrive before a time.

    Args:
        trials: Runs the workload.
        ladder: Prefix lengths to begin with.
        instances: Instances of the fleet.
        to_seconds: Requests from this time on are kept for the confirmation.
        slo_ttft_p90_seconds: P90 of the TTFT that is wanted; None for the shortest mean.
        seed: Of every run.
        on_step: Is told what begins.
    """

    def __init__(
        self,
        trials: Trials,
        ladder: Sequence[int],
        *,
        instances: int,
        to_seconds: float,
        slo_ttft_p90_seconds: float | None,
        seed: int,
        on_step: Callable[[str], None],
    ) -> None:
        self._trials, self._ladder, self._instances = trials, ladder, instances
        self._to_seconds, self._slo, self._seed, self._on_step = to_seconds, slo_ttft_p90_seconds, seed, on_step
        self._costs: dict[tuple[int, int], Cost] = {}

    def run(self) -> Found:
        """Narrow lengths and thresholds down, and test what is left."""
        self._on_step("prefix lengths, in closed form")
        lengths = candidate_lengths(self._trials.lengths, self._ladder)
        self._on_step("requests in flight, at home and overflowing")
        healthy, overflowing = self._levels(lengths[0])
        thresholds = candidate_thresholds(healthy, overflowing, MAX_CONCURRENCY_THRESHOLD)
        self._on_step(f"{len(lengths)} prefix lengths, simulated")
        length = self._best_length(lengths, thresholds)
        self._on_step(f"{len(thresholds)} thresholds, disturbed")
        return self._with_threshold(length, thresholds, healthy, overflowing)

    def _levels(self, length: int) -> tuple[float, float]:
        home = prefix_aware(length, MAX_CONCURRENCY_THRESHOLD)
        return self._in_flight(home), self._in_flight(RoutingConfig.least_outstanding_requests())

    def _in_flight(self, routing: RoutingConfig) -> float:
        result = self._trials.run(routing, seed=self._seed, to_seconds=self._to_seconds)
        return peak_in_flight(result, self._instances)

    def _best_length(self, lengths: Sequence[int], thresholds: Sequence[int]) -> int:
        """The length with the lowest cost at its best threshold; the first one where that is about equal."""
        few = thresholds[len(thresholds) // 2], thresholds[-1]
        ranked = sorted(lengths, key=lambda length: min(self._cost(length, threshold) for threshold in few))
        finalists = dict.fromkeys((lengths[0], *ranked[:_FINALISTS]))
        best = {length: min(self._cost(length, threshold) for threshold in thresholds) for length in finalists}
        return next(length for length in finalists if _is_about(best[length], min(best.values())))

    def _with_threshold(self, length: int, thresholds: tuple[int, ...], healthy: float, overflowing: float) -> Found:
        costs = {threshold: self._cost(length, threshold) for threshold in thresholds}
        good = [threshold for threshold in thresholds if _is_about(costs[threshold], min(costs.values()))]
        robustness = Robustness(
            self._trials, length, instances=self._instances, to_seconds=self._to_seconds, seed=self._seed
        )
        collapsed = {threshold: robustness.collapses(threshold, thresholds[-1]) for threshold in thresholds}
        bad = [threshold for threshold in thresholds if collapsed[threshold] or threshold < good[0]]
        safe = [threshold for threshold in thresholds if threshold > max(bad, default=0)]
        chosen = _chosen(good, safe, roomy_threshold(healthy, overflowing))
        return Found(
            prefix_length=length,
            concurrency_threshold=chosen,
            is_safe=chosen in safe,
            flat_lengths=plateau(self._trials.lengths),
            flat_thresholds=(good[0], good[-1]),
            thresholds=thresholds,
            margin=Margin(
                in_flight_healthy=healthy,
                in_flight_overflowing=None if overflowing == inf else overflowing,
                survives_from=safe[0] if safe else None,
                collapses_at=max((threshold for threshold in thresholds if collapsed[threshold]), default=None),
                disturbances=robustness.names,
                collapses=tuple(Collapse(threshold, names) for threshold, names in collapsed.items() if names),
            ),
        )

    def _cost(self, length: int, threshold: int) -> Cost:
        known = self._costs.get((length, threshold))
        if known is None:
            routing = prefix_aware(length, threshold)
            result = self._trials.run(routing, seed=self._seed, to_seconds=self._to_seconds)
            known = self._cost_of(result.summary(result[round(_WARM_UP * len(result))].arrival_seconds))
            self._costs[length, threshold] = known
        return known

    def _cost_of(self, summary: Summary) -> Cost:
        missed = max(0.0, summary.ttft.p90 / self._slo - 1) if self._slo else 0.0
        return missed, summary.ttft.mean


def _chosen(good: Sequence[int], safe: Sequence[int], wanted: float) -> int:
    """The least good and safe threshold that is high enough; with none, the largest of the good and safe.

    A larger one would take longer to relieve a hot instance.
    """
    both = [threshold for threshold in good if threshold in safe]
    enough = [threshold for threshold in both if threshold >= wanted]
    return (enough or both[-1:] or list(safe[:1]) or list(good[-1:]))[0]


def _is_about(cost: Cost, best: Cost) -> bool:
    return cost[0] <= best[0] + FLAT and cost[1] <= best[1] * (1 + FLAT)
