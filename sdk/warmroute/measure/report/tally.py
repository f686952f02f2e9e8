"""The requests of all runs, read once: what a report tells of each arm."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from math import inf, isnan, log10, nan
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.document import QuantilePoint, Share, TimelinePoint
from warmroute.measure.statistics.packages import numpy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.measure.comparison import RecordedRun
    from warmroute.measure.run import ReplayedRequest, Window

_TIMELINE_POINTS = 48
_QUANTILE_POINTS = 49
_NEAREST = -log10(1 - 0.05)
"""Where the drawn part of a distribution begins, P5: the few fastest would take half of a logarithmic axis."""

_BEYOND = 10
"""Requests that lie beyond the last quantile drawn: fewer say nothing about it."""


@dataclass
class RunTally:
    """One run. Three numbers are kept of a request, so that a million of them take 24 MB."""

    run: RecordedRun
    planned: array[float] = field(default_factory=lambda: array("d"))
    ttft: array[float] = field(default_factory=lambda: array("d"))
    lags: array[float] = field(default_factory=lambda: array("d"))
    failed: int = 0
    answered: int = 0
    instances: Counter[str] = field(default_factory=Counter)
    counted_prompts: int = 0
    """Answers whose cached tokens are known."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    routed: int = 0
    """Answers of which it is known whether they overflowed."""

    overflowed: int = 0

    @classmethod
    def of(cls, run: RecordedRun) -> RunTally:
        """A run, its requests counted.

        Raises:
            WarmrouteError: The record is not there, or cannot be read.
        """
        tally = cls(run)
        for row in run.requests():
            tally._count(row)
        return tally

    def _count(self, row: ReplayedRequest) -> None:
        self.planned.append(row.planned_seconds)
        self.ttft.append(inf if row.error is not None else row.ttft_seconds)
        if not isnan(row.sent_seconds):
            self.lags.append(row.lag_seconds)
        if row.error is not None:
            self.failed += 1
        else:
            self._count_answer(row)

    def _count_answer(self, row: ReplayedRequest) -> None:
        self.answered += 1
        if row.instance:
            self.instances[row.instance] += 1
        if row.cached_tokens is not None and row.input_tokens is not None:
            self.counted_prompts += 1
            self.prompt_tokens += row.input_tokens
            self.cached_tokens += row.cached_tokens
        if row.overflowed is not None:
            self.routed += 1
            self.overflowed += row.overflowed

    @property
    def lag_p99_seconds(self) -> float:
        """P99 of the send lag; NaN where nothing was sent."""
        return float(quantile_of(self.lags, 0.99)) if self.lags else nan

    @property
    def steady_ttft(self) -> Any:
        """Times to first token outside every window; those not measured are left out."""
        ttft = numpy().frombuffer(self.ttft)
        return ttft[~numpy().isnan(ttft) & ~self.inside(self.run.windows)]

    def inside(self, windows: Iterable[Window]) -> Any:
        """For each request, whether it was planned in one of some windows."""
        np = numpy()
        planned = np.frombuffer(self.planned)
        chosen = np.zeros(len(planned), dtype=bool)
        for window in windows:
            chosen |= (planned >= window.from_seconds) & (planned < window.to_seconds)
        return chosen


def quantile_points(tallies: Iterable[RunTally]) -> tuple[QuantilePoint, ...]:
    """The distribution of an arm, denser towards its tail, as far as requests tell it."""
    np = numpy()
    runs = [times for times in (tally.steady_ttft for tally in tallies) if len(times)]
    pooled = np.concatenate(runs) if runs else np.array([])
    if len(pooled) < 2 * _BEYOND:
        return ()
    furthest = np.log10(len(pooled) / _BEYOND)
    shares = 1 - 10.0 ** -np.linspace(_NEAREST, furthest, _QUANTILE_POINTS)
    by_run = np.array([quantile_of(times, shares) for times in runs])
    return tuple(
        QuantilePoint(probability=float(share), all_runs=float(all_), lowest_run=float(low), highest_run=float(high))
        for share, all_, low, high in zip(
            shares, quantile_of(pooled, shares), by_run.min(axis=0), by_run.max(axis=0), strict=True
        )
    )


def shares(tallies: Iterable[RunTally]) -> tuple[Share, ...]:
    """What each instance answered, the busiest first; none where instances are not told.

    A share is one of the answers of the instance's own fleet. Where variants change roles an arm has several fleets, of
    which a run meets one; shares of all answers would halve those that a run met, and the figure that guards them.
    """
    fleets: dict[tuple[str, str], Counter[str]] = {}
    for tally in tallies:
        fleet = fleets.setdefault((tally.run.fleet, tally.run.endpoint_config_arn), Counter())
        fleet.update(tally.instances)
    found = [
        Share(instance=name, requests=n, share=n / counts.total())
        for counts in fleets.values()
        for name, n in counts.items()
    ]
    return tuple(sorted(found, key=lambda share: (-share.share, share.instance)))


def timeline(tallies: Iterable[RunTally]) -> tuple[TimelinePoint, ...]:
    """Times to first token by planned time, all runs of an arm together."""
    np = numpy()
    found = list(tallies)
    planned = np.concatenate([np.frombuffer(tally.planned) for tally in found]) if found else np.array([])
    ttft = np.concatenate([np.frombuffer(tally.ttft) for tally in found]) if found else np.array([])
    told = ~(np.isnan(planned) | np.isnan(ttft))
    planned, ttft = planned[told], ttft[told]
    if len(planned) == 0:
        return ()
    edges = np.linspace(0.0, max(float(planned.max()), 1e-3) * (1 + 1e-9), _TIMELINE_POINTS + 1)
    place = np.clip(np.searchsorted(edges, planned, side="right") - 1, 0, _TIMELINE_POINTS - 1)
    order = np.argsort(place, kind="stable")
    parts = np.split(ttft[order], np.searchsorted(place[order], np.arange(1, _TIMELINE_POINTS)))
    return tuple(
        TimelinePoint(
            from_seconds=float(edges[number]),
            to_seconds=float(edges[number + 1]),
            requests=len(times),
            failed=int(np.isinf(times).sum()),
            p50_seconds=float(quantile_of(times, 0.5)) if len(times) else nan,
            p90_seconds=float(quantile_of(times, 0.9)) if len(times) else nan,
        )
        for number, times in enumerate(parts)
    )


def quantile_of(values: Any, probability: Any) -> Any:
    """Of values that may be infinite, so never between two of them."""
    return numpy().quantile(numpy().asarray(values), probability, method="inverted_cdf")
