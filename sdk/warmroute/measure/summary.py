"""The figures of one run: in steady state, by segment, and in its cold and scaling windows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from warmroute.measure.columns import columns
from warmroute.measure.metrics import Figures, figures
from warmroute.measure.run import WindowKind
from warmroute.measure.statistics.packages import numpy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.measure.columns import RequestColumns
    from warmroute.measure.run import Run, Window


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What a comparison keeps of a run."""

    arm: str
    pair: int
    started: datetime
    duration_seconds: float
    requests: int
    """Planned requests, windows included."""

    steady: Figures
    """Of the requests outside every window."""

    segments: Mapping[str, Figures] = field(default_factory=dict)
    """Of steady state, by the name of the segment; requests without one are in none."""

    windows: Mapping[WindowKind, Figures] = field(default_factory=dict)
    fleet: str = ""
    problems: tuple[str, ...] = ()

    @property
    def ended(self) -> datetime:
        """When its last answer came."""
        return self.started + timedelta(seconds=self.duration_seconds)


def summarise(run: Run) -> RunSummary:
    """The figures of a run.

    Raises:
        MissingExtraError: NumPy or SciPy is not installed.
    """
    requests = columns(run.requests)
    inside = {
        kind: _inside(requests, [window for window in run.windows if window.kind is kind])
        for kind in WindowKind
        if any(window.kind is kind for window in run.windows)
    }
    steady = requests.only(~_inside(requests, run.windows))
    seconds = run.duration_seconds - covered_seconds(run.windows, run.duration_seconds)
    names = sorted(set(steady.segment.tolist()) - {""})
    return RunSummary(
        arm=run.arm,
        pair=run.pair,
        started=run.started,
        duration_seconds=run.duration_seconds,
        requests=len(run.requests),
        steady=figures(steady, seconds),
        segments={name: figures(steady.only(steady.segment == name), seconds) for name in names},
        windows={
            kind: figures(
                requests.only(chosen),
                covered_seconds((window for window in run.windows if window.kind is kind), run.duration_seconds),
            )
            for kind, chosen in inside.items()
        },
        fleet=run.fleet,
        problems=run.problems,
    )


def _inside(requests: RequestColumns, windows: Iterable[Window]) -> Any:
    chosen = numpy().zeros(len(requests), dtype=bool)
    for window in windows:
        chosen |= (requests.planned_seconds >= window.from_seconds) & (requests.planned_seconds < window.to_seconds)
    return chosen


def covered_seconds(windows: Iterable[Window], duration_seconds: float) -> float:
    """Seconds of a run that some windows cover together.

    Args:
        windows: That may overlap, and reach beyond its end.
        duration_seconds: Of the run.
    """
    covered = end = 0.0
    for window in sorted(windows, key=lambda window: window.from_seconds):
        begin, stop = max(end, window.from_seconds), min(duration_seconds, window.to_seconds)
        covered += max(0.0, stop - begin)
        end = max(end, stop)
    return covered
