"""How a candidate compares with the baseline, figure by figure."""

from __future__ import annotations

from warmroute.measure.metrics import Metric  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.values import Number, Part, Text


class PairFigure(Part):
    """One pair's figure."""

    pair: int
    effect: Number
    """Candidate over baseline; for shares of failed requests their difference."""


class ComparedFigure(Part):
    """One metric of a candidate against the baseline's."""

    metric: Metric
    label: Text
    unmeasured: Text | None
    """Why it is not known; the numbers are then null."""

    compared_by_difference: bool
    more_is_worse: bool
    baseline: Number
    """Of a typical run: the geometric mean over the compared runs, for shares of failed requests the plain one."""

    candidate: Number
    effect: Number
    """Mean over the pairs, candidate over baseline; for shares of failed requests the difference."""

    low: Number
    """Lower end of the interval of ``effect``."""

    high: Number
    confidence: float
    """Of the interval."""

    standard_error: Number
    """Of the mean over the pairs, of log ratios or of differences; infinite where the pairs do not bound it."""

    standard_deviation: Number
    """Of one pair, on the same scale."""

    degrees_of_freedom: int

    p_adjusted: Number
    """Two-sided p-value after Holm; null where the metric is not in a family of secondaries."""

    by_pair: tuple[PairFigure, ...]
    change: Text
    """The effect in words."""

    interval: Text
    """The interval in words."""


class GuardFigure(Part):
    """A figure that must not become worse than a limit."""

    compared: ComparedFigure
    limit: Number
    """On the scale of ``compared.effect``."""

    state: Text
    sentence: Text


class SegmentFigure(Part):
    """A part of the traffic."""

    name: Text
    primary: ComparedFigure
    guards: tuple[GuardFigure, ...]
    p_better: float
    """One-sided p-value for a gain of more than the minimum effect, after Holm over the segments."""

    p_worse: float
    """The same for a loss of more than it."""

    pays_off: bool
    suffers: bool


class WindowFigures(Part):
    """Figures of a span that is no steady state; they do not decide."""

    kind: Text
    figures: tuple[ComparedFigure, ...]


class FurtherRuns(Part):
    """What it takes to decide, if the effect is as it looks so far."""

    pairs: int
    hours: float


class VerdictPart(Part):
    """One candidate against the baseline."""

    candidate: Text
    decision: Text
    headline: Text
    reasons: tuple[Text, ...]
    adopt_for: tuple[Text, ...]
    further: FurtherRuns | None
    pairs: int
    left_out: tuple[Text, ...]
    confounded: bool
    """Whether each arm kept machines of its own."""

    primary: ComparedFigure
    guards: tuple[GuardFigure, ...]
    secondaries: tuple[ComparedFigure, ...]
    segments: tuple[SegmentFigure, ...]
    windows: tuple[WindowFigures, ...]
