"""What a run comes to: how late its requests were, what they met, and whether it may be compared."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.measure.replay.rows import LOST, NOT_SENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.run import ReplayedRequest

LARGEST_LAG_SECONDS = 0.05
"""P99 of the send lag above which a run is invalid."""

LARGEST_LAG_SHARE = 0.05
"""P99 of the send lag, as a share of the P50 of the time to first token, above which a run is invalid."""

LARGEST_CLOCK_STEP_SECONDS = 1.0
"""How far the wall clock may move against the monotonic one: more is a machine that slept, or a clock that was set."""


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Of one time, in seconds; NaN without any."""

    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySummary:
    """The figures of one run."""

    planned: int
    sent: int
    answered: int
    """With a complete answer."""

    errors: dict[str, int]
    """Why requests have none, the most frequent first; those never sent among them."""

    send_lag: Quantiles
    """From the planned time to the time of sending."""

    connection_wait: Quantiles
    """The part of it spent waiting for one of the bounded number of connections."""

    ttft: Quantiles
    """Time to first token of requests with an answer, from the planned time."""

    e2e: Quantiles
    problems: tuple[str, ...]
    """Why the run must not be compared; empty when valid."""

    @property
    def complete(self) -> bool:
        """Whether every request was sent, as far as is known."""
        return not (self.errors.get(NOT_SENT) or self.errors.get(LOST))


class Tally:
    """Counts rows as they come."""

    def __init__(self) -> None:
        self._lags, self._waits, self._ttfts, self._e2es = (array("d") for _ in range(4))
        self.rows = 0
        self.errors: Counter[str] = Counter()

    @property
    def answered(self) -> int:
        """Requests with a complete answer."""
        return len(self._ttfts)

    def add(self, row: ReplayedRequest) -> None:
        """Count a row."""
        self.rows += 1
        if not math.isnan(row.sent_seconds):
            self._lags.append(row.lag_seconds)
            self._waits.append(row.connection_wait_seconds)
        if row.error is None:
            self._ttfts.append(row.ttft_seconds)
            self._e2es.append(row.e2e_seconds)
        else:
            self.errors[row.error] += 1

    def recent_ttft(self, count: int = 1_000) -> Quantiles:
        """Times to first token of the latest answers, for a display."""
        return quantiles(self._ttfts[-count:])

    def summary(
        self, *, further_problems: Sequence[str] = (), largest_lag_seconds: float | None = None
    ) -> ReplaySummary:
        """The figures.

        Args:
            further_problems: What else makes the run invalid.
            largest_lag_seconds: P99 of the send lag above which it is, instead of both usual limits.
        """
        lag, wait, ttft = quantiles(self._lags), quantiles(self._waits), quantiles(self._ttfts)
        problems = [*further_problems]
        if not self._ttfts:
            problems.append("No request was answered.")
        problems += _lag_problems(lag, wait, ttft, largest_lag_seconds)
        return ReplaySummary(
            planned=self.rows,
            sent=len(self._lags),
            answered=len(self._ttfts),
            errors=dict(self.errors.most_common()),
            send_lag=lag,
            connection_wait=wait,
            ttft=ttft,
            e2e=quantiles(self._e2es),
            problems=tuple(problems),
        )


def clock_problems(wall_seconds: float, monotonic_seconds: float) -> list[str]:
    """What is wrong with a run in which two clocks did not go alike.

    Args:
        wall_seconds: Duration of the run on the clock that tells the date.
        monotonic_seconds: Its duration on the one that only counts.
    """
    step = wall_seconds - monotonic_seconds
    if abs(step) <= LARGEST_CLOCK_STEP_SECONDS:
        return []
    return [f"The clock of this machine moved by {step:+,.1f} s during the run: it was set, or the machine slept."]


def quantiles(values: Sequence[float]) -> Quantiles:
    """Quantiles of any number of values, between neighbours in proportion."""
    ordered = sorted(values)
    return Quantiles(*(_quantile(ordered, share) for share in (0.5, 0.9, 0.99, 1.0)))


def _quantile(ordered: Sequence[float], share: float) -> float:
    if not ordered:
        return math.nan
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _lag_problems(lag: Quantiles, wait: Quantiles, ttft: Quantiles, given: float | None) -> list[str]:
    largest = LARGEST_LAG_SECONDS if given is None else given
    if not (lag.p99 > largest or (given is None and lag.p99 > LARGEST_LAG_SHARE * ttft.p50)):
        return []
    limit = f"{largest * 1e3:,.0f} ms"
    if lag.p99 <= largest:
        limit = f"{LARGEST_LAG_SHARE:.0%} of the time to first token's P50, {ttft.p50 * 1e3:,.1f} ms"
    why = "The machine is too slow or too busy for this rate."
    if wait.p99 > lag.p99 / 2:
        why = "Requests waited for a connection: allow more."
    return [f"The client lagged: P99 of the send lag is {lag.p99 * 1e3:,.1f} ms, above {limit}. {why}"]
