"""The spans of runs that are no steady state: where they lie, and what their requests met."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from warmroute.measure.report.document import Band, SpanFigures
from warmroute.measure.report.tally import quantile_of
from warmroute.measure.run import WindowKind
from warmroute.measure.statistics.packages import numpy
from warmroute.measure.summary import covered_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from warmroute.measure.report.tally import RunTally
    from warmroute.measure.run import Window

_STEADY = "steady"


def band(window: Window) -> Band:
    """A window of one run."""
    return Band(
        kind=window.kind.value, from_seconds=window.from_seconds, to_seconds=window.to_seconds, reason=window.reason
    )


def bands(tallies: Iterable[RunTally]) -> tuple[Band, ...]:
    """Windows of any of the runs, on top of each other; those of a kind that overlap are joined."""
    found: list[Band] = []
    every = {
        (window.kind.value, window.from_seconds, min(window.to_seconds, tally.run.duration_seconds), window.reason)
        for tally in tallies
        for window in tally.run.windows
    }
    for kind, begin, end, reason in sorted(every):
        last = found[-1] if found else None
        if last is None or last.kind != kind or begin > last.to_seconds:
            found.append(Band(kind=kind, from_seconds=begin, to_seconds=end, reason=reason))
            continue
        reasons = dict.fromkeys(filter(None, (*last.reason.split("; "), reason)))
        joined = {"to_seconds": max(end, last.to_seconds), "reason": "; ".join(reasons)}
        found[-1] = last.model_copy(update=joined)
    return tuple(found)


def span_figures(tallies: Sequence[RunTally]) -> tuple[SpanFigures, ...]:
    """The spans of each kind that there is, steady state last; nothing where all is steady."""
    present = {window.kind for tally in tallies for window in tally.run.windows}
    kinds = [kind for kind in WindowKind if kind in present]
    if not kinds:
        return ()

    def of_kind(kind: WindowKind) -> Callable[[RunTally], tuple[Any, float]]:
        def found(tally: RunTally) -> tuple[Any, float]:
            windows = [window for window in tally.run.windows if window.kind is kind]
            return tally.inside(windows), covered_seconds(windows, tally.run.duration_seconds)

        return found

    def steady(tally: RunTally) -> tuple[Any, float]:
        covered = covered_seconds(tally.run.windows, tally.run.duration_seconds)
        return ~tally.inside(tally.run.windows), tally.run.duration_seconds - covered

    return (*(_figures(kind.value, tallies, of_kind(kind)) for kind in kinds), _figures(_STEADY, tallies, steady))


def _figures(kind: str, tallies: Sequence[RunTally], part: Callable[[RunTally], tuple[Any, float]]) -> SpanFigures:
    np = numpy()
    parts = [(tally, *part(tally)) for tally in tallies]
    chosen = [np.frombuffer(tally.ttft)[inside] for tally, inside, _ in parts]
    times = np.concatenate(chosen) if chosen else np.array([])
    told = times[~np.isnan(times)]
    return SpanFigures(
        kind=kind,
        runs=sum(seconds > 0 for _, _, seconds in parts),
        seconds=sum(seconds for _, _, seconds in parts),
        requests=len(times),
        failed=int(np.isinf(times).sum()),
        p50_seconds=float(quantile_of(told, 0.5)) if len(told) else nan,
        p90_seconds=float(quantile_of(told, 0.9)) if len(told) else nan,
    )
