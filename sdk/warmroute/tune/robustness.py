"""Whether a fleet recovers from what happens to it, or overflows for good.

A threshold between the requests in flight when they go home and those when none does can leave a fleet with two
states: a burst fills the instances up to the threshold, requests overflow, miss, take longer, and keep them full.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from warmroute.fleet import AddInstances, LoseInstance
from warmroute.tune.trials import prefix_aware

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.fleet import FleetRequest
    from warmroute.fleet.config import Change
    from warmroute.tune.trials import Trials

LASTING_LOSS = 0.05
"""Hit rate lost for good, beyond what a fleet without a threshold loses, that counts as a collapse: 5 points."""

BURST_FACTOR = 2.0
BURST_SECONDS = 30.0
_RAMP = 4.0


class Disturbance(NamedTuple):
    """Something that happens to a fleet."""

    name: str
    requests: list[FleetRequest]
    changes: tuple[Change, ...]


class Robustness:
    """Tests thresholds under one prefix length.

    The hit rate of the last third of the trace is compared with that of the same fleet that began slowly and met
    nothing; a fleet that never overflows tells how much of the loss is not the threshold's.

    Args:
        trials: Runs the workload.
        prefix_length: The length.
        instances: Instances of the fleet.
        to_seconds: Requests from this time on are left out.
        seed: Of every run.
    """

    def __init__(self, trials: Trials, prefix_length: int, *, instances: int, to_seconds: float, seed: int) -> None:
        self._trials, self._prefix_length, self._seed = trials, prefix_length, seed
        requests = trials.requests(prefix_length, seed=seed, to_seconds=to_seconds)
        span = requests[-1].arrival_seconds
        at = span / 3
        self._ramped = _ramped(requests, at)
        self._disturbances = [
            Disturbance("a cold start at full rate", requests, ()),
            Disturbance(_BURST, _burst(requests, at, min(BURST_SECONDS, span / 10)), ()),
            Disturbance("an instance added", requests, (AddInstances(at_seconds=at),)),
        ]
        if instances > 2:
            self._disturbances.append(Disturbance("an instance lost", requests, (LoseInstance(at_seconds=at),)))
        self._losses: dict[int, list[float]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What happens to the fleet."""
        return tuple(each.name for each in self._disturbances)

    def collapses(self, threshold: int, unlimited: int) -> tuple[str, ...]:
        """What a fleet with this threshold does not recover from.

        Args:
            threshold: The threshold.
            unlimited: One at which nothing overflows.
        """
        losses, inevitable = self._losses_with(threshold), self._losses_with(unlimited)
        return tuple(
            name
            for name, loss, least in zip(self.names, losses, inevitable, strict=True)
            if loss > max(0.0, least) + LASTING_LOSS
        )

    def _losses_with(self, threshold: int) -> list[float]:
        if threshold not in self._losses:
            healthy = self._late_hit_rate(self._ramped, (), threshold)
            self._losses[threshold] = [
                healthy - self._late_hit_rate(each.requests, each.changes, threshold) for each in self._disturbances
            ]
        return self._losses[threshold]

    def _late_hit_rate(self, requests: Sequence[FleetRequest], changes: tuple[Change, ...], threshold: int) -> float:
        routing = prefix_aware(self._prefix_length, threshold)
        result = self._trials.run_requests(requests, routing, seed=self._seed, changes=changes)
        late = requests[-max(1, len(requests) // 3)].arrival_seconds
        return result.summary(late, inf).hit_rate


_BURST = f"a burst of {BURST_FACTOR:g} times the rate"


def _ramped(requests: Sequence[FleetRequest], until: float) -> list[FleetRequest]:
    """The requests, those up to a time coming several times slower."""
    return [
        request._replace(arrival_seconds=at * _RAMP if at < until else at + until * (_RAMP - 1))
        for request in requests
        for at in (request.arrival_seconds,)
    ]


def _burst(requests: Sequence[FleetRequest], begin: float, seconds: float) -> list[FleetRequest]:
    """The requests, some of them coming several times faster, and all later ones earlier by the time that saves."""
    end = begin + seconds * BURST_FACTOR

    def at(seconds_before: float) -> float:
        inside = min(end, seconds_before) - begin
        return seconds_before - max(0.0, inside) * (1 - 1 / BURST_FACTOR)

    return [request._replace(arrival_seconds=at(request.arrival_seconds)) for request in requests]
