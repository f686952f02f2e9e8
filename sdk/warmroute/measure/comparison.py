"""A comparison that is over: its verdicts, and all that they rest on. Reports are made from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warmroute.measure.run import RunFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from warmroute.measure.criteria import Criteria
    from warmroute.measure.metrics import Metric
    from warmroute.measure.run import ReplayedRequest, RunKey
    from warmroute.measure.summary import RunSummary
    from warmroute.measure.telemetry import RunTelemetry
    from warmroute.measure.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun(RunFacts):
    """A run as its folder holds it; its requests stay on disk until they are asked for."""

    is_noise: bool
    """Whether it is a run of A/A, which no verdict counts."""

    summary: RunSummary
    """Its figures."""

    folder: Path

    def requests(self) -> Iterator[ReplayedRequest]:
        """A row for each request, in any order.

        Raises:
            WarmrouteError: The record is not there, or cannot be read.
        """
        from warmroute.measure.replay import read_rows

        return read_rows(self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What differs between runs of the baseline alone (A/A), and what follows for the number of pairs."""

    metric: Metric
    """The primary metric."""

    figures: tuple[float, ...]
    """Its value in each valid run, in the order of the runs."""

    deviation: float
    """Standard deviation of their logarithms: 0.03 where runs differ by 3 %."""

    gain: float
    """The improvement that is to be found with a chance of 80 %, 0.15 for 15 %."""

    pairs_needed: int | None
    """Pairs that this takes; None where no number that anybody runs is enough."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A run that is not compared."""

    pair: int
    arm: str
    reasons: tuple[str, ...]
    """Sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All runs of a folder and what follows from them."""

    baseline: str
    verdicts: tuple[Verdict, ...]
    """One for each candidate, in the order of the arms."""

    runs: tuple[RecordedRun, ...]
    """Every finished run in the order in which they ran, A/A and invalid ones among them."""

    criteria: Criteria
    """What was declared before the first run."""

    aa: Noise | None
    """None without A/A, or where too many of its runs failed."""

    manifest: Mapping[str, Any]
    """What the comparison was asked for and ran on, as ``manifest.json`` holds it."""

    left_out: tuple[LeftOut, ...]
    """Runs that are not compared, and why."""

    notes: tuple[str, ...] = ()
    """What else a reader has to know, a sentence each: pairs that are lacking, what was done to the trace."""

    telemetry: Mapping[RunKey, RunTelemetry] = field(default_factory=dict)
    """By run; runs that nothing was observed of are not in it."""

    @property
    def has_failed(self) -> bool:
        """Whether some candidate has no verdict because runs were invalid, and not because they show nothing."""
        too_few = any(verdict.pairs < self.criteria.minimum_pairs for verdict in self.verdicts)
        return not self.verdicts or (too_few and bool(self.left_out))
