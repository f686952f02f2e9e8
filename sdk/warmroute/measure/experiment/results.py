"""What the runs of an experiment come to so far."""

from __future__ import annotations

from collections import Counter
from math import isfinite
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.comparison import Comparison, LeftOut, Noise, RecordedRun
from warmroute.measure.experiment.design import pairs_needed_for
from warmroute.measure.replay import read_rows
from warmroute.measure.statistics import run_noise
from warmroute.measure.summary import RunSummary, summarise
from warmroute.measure.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.experiment.design import Design
    from warmroute.measure.experiment.folder import Finished, RunFolders
    from warmroute.measure.run import RunKey
    from warmroute.measure.telemetry import RunTelemetry

SEGMENT_REQUESTS = 100
"""Requests of a run below which a segment is not told apart: its P90 would rest on ten."""

MOST_SEGMENTS = 20
"""Segments that are told apart, the largest first: the more there are, the more each has to show."""


class Results:
    """Figures of the runs that are over; each run is read once.

    Args:
        folders: The runs.
        arms: Names of all arms; the baseline first.
        design: Which runs there are.
        criteria: What has to be shown.
    """

    def __init__(self, folders: RunFolders, arms: Sequence[str], design: Design, criteria: Criteria) -> None:
        self._folders, self._design, self._criteria = folders, design, criteria
        self._baseline, *self._candidates = arms
        self._summaries: dict[tuple[RunKey, frozenset[str]], RunSummary] = {}

    def noise(self, finished: Sequence[Finished]) -> Noise | None:
        """The noise between A/A runs; None where fewer than two are valid, or too many requests of one failed.

        Args:
            finished: Every run that is over.
        """
        metric = self._criteria.primary
        values = [self._summary(run).steady[metric] for run in finished if run.is_noise and run.valid]
        figures = [value for value in values if isinstance(value, float)]
        if (
            len(figures) < 2
            or len(figures) < len(values)
            or not all(isfinite(value) and value > 0 for value in figures)
        ):
            return None
        deviation = run_noise(figures)
        return Noise(
            metric=metric,
            figures=tuple(figures),
            deviation=deviation,
            gain=self._design.gain,
            pairs_needed=pairs_needed_for(deviation, self._design, self._criteria),
        )

    def valid_pairs(self, finished: Sequence[Finished]) -> int:
        """Pairs in which the baseline and every candidate have a valid run.

        Args:
            finished: Every run that is over.
        """
        arms = Counter(run.pair for run in finished if run.valid and not run.is_noise)
        return sum(count == 1 + len(self._candidates) for count in arms.values())

    def comparison(
        self, manifest: Mapping[str, Any], notes: Sequence[str], telemetry: Mapping[RunKey, RunTelemetry]
    ) -> Comparison:
        """The comparison as it stands.

        Args:
            manifest: What it was asked for.
            notes: What a reader has to know besides.
            telemetry: What was observed beside the runs.
        """
        finished = self._folders.finished()
        segments = self._segments(finished)
        runs = tuple(self._recorded(run, segments) for run in sorted(finished, key=lambda each: each.started))
        summaries = [run.summary for run in runs if not run.is_noise]
        present = {summary.arm for summary in summaries}
        return Comparison(
            baseline=self._baseline,
            verdicts=tuple(
                judge(summaries, self._baseline, candidate, self._criteria)
                for candidate in self._candidates
                if {self._baseline, candidate} <= present
            ),
            runs=runs,
            criteria=self._criteria,
            aa=self.noise(finished),
            manifest=manifest,
            left_out=tuple(LeftOut(run.pair, run.arm, run.problems) for run in finished if not run.valid),
            notes=tuple(notes),
            telemetry=telemetry,
        )

    def _recorded(self, run: Finished, segments: frozenset[str]) -> RecordedRun:
        summary = self._summary(run, segments)
        return RecordedRun(**run.facts(), is_noise=run.is_noise, summary=summary, folder=self._folders.path(run.place))

    def _summary(self, run: Finished, segments: frozenset[str] = frozenset()) -> RunSummary:
        key = (run.key, segments)
        if key not in self._summaries:
            self._summaries[key] = summarise(self._folders.load(run, segments))
        return self._summaries[key]

    def _segments(self, finished: Sequence[Finished]) -> frozenset[str]:
        """Names of the segments that are large enough in every part of the trace that valid pairs sent."""
        one_of_each = {run.part: run for run in finished if run.valid and not run.is_noise}
        fewest: Counter[str] | None = None
        for run in one_of_each.values():
            counts = Counter(row.segment for row in read_rows(self._folders.path(run.place)) if row.segment)
            fewest = counts if fewest is None else fewest & counts
        found = (fewest or Counter()).most_common(MOST_SEGMENTS)
        return frozenset(name for name, count in found if count >= SEGMENT_REQUESTS)


def refuse_without_packages() -> None:
    """Refuse to begin what could not be judged.

    Raises:
        MissingExtraError: NumPy, SciPy or PyArrow is not installed.
    """
    from importlib.util import find_spec

    from warmroute.errors import MissingExtraError

    if any(find_spec(package) is None for package in ("numpy", "scipy", "pyarrow")):
        raise MissingExtraError("Comparing runs", "analysis")


def refuse_odd_names(names: Sequence[str]) -> None:
    """Refuse names of arms that cannot be told apart, or be a part of a folder's name.

    Raises:
        WarmrouteError: Fewer than two, one twice, or one with other characters than letters, digits, - and _.
    """
    if len(names) < 2:
        raise WarmrouteError(f"Arms: {len(names)}; a comparison needs two or more.", "Name each with --arm NAME=….")
    for name in names:
        if names.count(name) > 1:
            raise WarmrouteError(f"Arm {name} is named twice.", "Give every arm a name of its own.")
        if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum() and len(name) <= 40):
            raise WarmrouteError(f"Arm {name!r} has no usable name.", "Use letters, digits, - and _, at most 40.")
