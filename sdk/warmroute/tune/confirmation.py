"""What a choice brings on the rest of the trace: every strategy, a scale-out, and other values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.fleet import AddInstances
from warmroute.routing import MAX_PREFIX_LENGTH, MIN_PREFIX_LENGTH, RoutingConfig
from warmroute.tune.result import Alternative, Expectation
from warmroute.tune.trials import Trials, expectation, prefix_aware

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.tune.candidates import Lengths
SEEDS = 3
"""Runs of each strategy; each places the keys anew."""

AFTER_SECONDS = 60.0
"""How long after a scale-out its effect is measured."""

ROUND_LENGTHS = tuple(2**power for power in range(10, 17))
"""What a person would try: powers of two from 1,024 to 65,536."""


class Confirmation:
    """Runs of the whole trace, of which only what arrives from a time on is measured.

    Args:
        trials: Runs the workload.
        lengths: Counts the keys of the whole trace.
        chosen: The chosen length and threshold.
        instances: Instances of the fleet.
        from_seconds: Where the part begins on which nothing was chosen.
        seed: The first of the seeds.
    """

    def __init__(
        self,
        trials: Trials,
        lengths: Lengths,
        chosen: tuple[int, int],
        *,
        instances: int,
        from_seconds: float,
        seed: int,
    ) -> None:
        self._trials, self._lengths, self._chosen, self._instances = trials, lengths, chosen, instances
        self._from_seconds, self._seed = from_seconds, seed
        self._routings = {
            "RANDOM": RoutingConfig.random(),
            "LEAST_OUTSTANDING_REQUESTS": RoutingConfig.least_outstanding_requests(),
            "PREFIX_AWARE": prefix_aware(*chosen),
            "KV_AWARE": RoutingConfig.kv_aware(),
        }

    def strategies(self) -> dict[str, Expectation]:
        """What each strategy brings, over several seeds."""
        return {name: self._expect(routing, SEEDS) for name, routing in self._routings.items()}

    def scale_out(self) -> tuple[dict[str, Expectation], dict[str, float]]:
        """What each strategy brings in the minute after an instance was added, and what the new one serves of it."""
        expected, shares = {}, {}
        begin = self._from_seconds
        for name, routing in self._routings.items():
            result = self._trials.run(routing, seed=self._seed, changes=(AddInstances(at_seconds=begin),))
            summary = result.summary(begin, begin + AFTER_SECONDS)
            expected[name] = expectation([summary], self._instances + 1)
            shares[name] = summary.share_by_instance.get(self._instances, 0.0)
        return expected, shares

    def other_lengths(self) -> tuple[Alternative, ...]:
        """What other prefix lengths would bring with the chosen threshold."""
        length, threshold = self._chosen
        lengths = sorted({self._near(each) for each in ROUND_LENGTHS} - {length})
        self._lengths.measure(lengths)
        return tuple(self._alternative(each, threshold) for each in lengths)

    def other_thresholds(self, thresholds: Sequence[int]) -> tuple[Alternative, ...]:
        """What other thresholds would bring with the chosen length."""
        length, threshold = self._chosen
        return tuple(self._alternative(length, each) for each in thresholds if each != threshold)

    def _near(self, length: int) -> int:
        """The length, or the nearest one whose keys are known."""
        return min(max(MIN_PREFIX_LENGTH, self._lengths.nearest(length)), MAX_PREFIX_LENGTH)

    def _alternative(self, length: int, threshold: int) -> Alternative:
        expected = self._expect(prefix_aware(length, threshold), 1)
        keys = self._lengths.profiles[length].keys
        return Alternative(prefix_length=length, concurrency_threshold=threshold, keys=keys, expectation=expected)

    def _expect(self, routing: RoutingConfig, seeds: int) -> Expectation:
        runs = [self._trials.run(routing, seed=self._seed + number) for number in range(seeds)]
        return expectation([run.summary(self._from_seconds) for run in runs], self._instances)
