"""Samples of several instances over a run, and what they counted in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Counter(StrEnum):
    """What only grows, until a server starts anew."""

    REQUESTS = "requests"
    """Requests that it was given."""
    FINISHED = "finished"
    """Requests that are over."""
    QUERIED_TOKENS = "queried_tokens"
    HIT_TOKENS = "hit_tokens"
    OVERFLOW_REQUESTS = "overflow_requests"
    TTFT_COUNT = "ttft_count"
    TTFT_SECONDS = "ttft_seconds"


class Gauge(StrEnum):
    """What goes up and down."""

    IN_FLIGHT = "in_flight"
    WAITING = "waiting"
    KV_CACHE_USAGE = "kv_cache_usage"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one instance showed at one moment; what it does not show is not among it."""

    counters: Mapping[Counter, float] = field(default_factory=dict)
    gauges: Mapping[Gauge, float] = field(default_factory=dict)
    ttft_buckets: Mapping[float, float] = field(default_factory=dict)
    """Times to first token up to each bound, in seconds; counters too."""

    started: float | None = None
    """When its process started, if it tells."""


@dataclass(frozen=True, slots=True)
class Round:
    """What every instance that answered showed at about the same moment."""

    seconds: float
    """From the beginning of the run."""

    readings: Mapping[str, Reading]
    """By instance."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one instance counted between two of its readings."""

    before: Reading
    after: Reading

    @property
    def began_anew(self) -> bool:
        """Whether its counters started again from zero: one of them fell, or its process is another."""
        started = self.before.started, self.after.started
        if None not in started and started[0] != started[1]:
            return True
        return _fell(self.before.counters, self.after.counters) or _fell(
            self.before.ttft_buckets, self.after.ttft_buckets
        )

    def counted(self, counter: Counter) -> float | None:
        """The growth of a counter; None where it is not shown. After a start from zero, all that it has counted."""
        return self._growth(self.before.counters.get(counter), self.after.counters.get(counter))

    def ttft_buckets(self) -> dict[float, float]:
        """The growth of every bucket."""
        before = {} if self.began_anew else self.before.ttft_buckets
        return {bound: count - before.get(bound, 0.0) for bound, count in self.after.ttft_buckets.items()}

    def _growth(self, before: float | None, after: float | None) -> float | None:
        if after is None:
            return None
        if self.began_anew or before is None:
            return after
        return after - before


Key = TypeVar("Key")


def _fell(before: Mapping[Key, float], after: Mapping[Key, float]) -> bool:
    return any(after.get(name, value) < value for name, value in before.items())


ZERO = Reading(counters=dict.fromkeys(Counter, 0.0))
"""An instance that has served nothing yet."""


def steps(rounds: Sequence[Round], *, appear_from_zero: bool) -> Iterator[tuple[str, Step]]:
    """Every step of every instance.

    Args:
        rounds: In the order of time.
        appear_from_zero: Whether an instance that is first seen after the first round has started within the run.
    """
    first = rounds[0].readings if rounds else {}
    for instance in sorted({name for each in rounds for name in each.readings}):
        seen = [each.readings[instance] for each in rounds if instance in each.readings]
        if appear_from_zero and instance not in first:
            seen = [ZERO, *seen]
        for before, after in pairwise(seen):
            yield instance, Step(before, after)
