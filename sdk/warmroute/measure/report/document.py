"""``report.json``: all that a report shows, from which its page can be made anew."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads it.
from typing import Any, Literal

from warmroute.measure.metrics import Metric  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.values import Number, Part, Text

VERSION = 1
"""Of the schema; a field that is removed or changes its meaning raises it."""


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


class QuantilePoint(Part):
    """A quantile of the times to first token in steady state, in seconds."""

    probability: float
    all_runs: Number
    lowest_run: Number
    highest_run: Number


class Share(Part):
    """The requests of one instance."""

    instance: Text
    requests: int | None
    """Answers that name it; null where only its share was counted, by the servers."""

    share: float


class Known(Part):
    """A figure that not every endpoint tells."""

    value: Number
    note: Text
    """What it rests on; why it is not available, where it is null."""


class ServerFigure(Part):
    """What the servers counted beside the client."""

    label: Text
    unit: Literal["share", "seconds", "requests"]
    known: Known


class TimelinePoint(Part):
    """Times to first token of the requests planned in one span of the runs, all compared runs together."""

    from_seconds: float
    to_seconds: float
    requests: int
    failed: int
    p50_seconds: Number
    p90_seconds: Number


class Band(Part):
    """A span of a run that is no steady state."""

    kind: Text
    from_seconds: float
    to_seconds: float
    reason: Text = ""
    """What happened; empty where the kind says it all."""


class SpanFigures(Part):
    """What the requests met that were planned in the spans of one kind, all compared runs of an arm together."""

    kind: Text
    """``cold``, ``scaling``, or ``steady`` for all that is neither."""

    runs: int
    """Runs that have such a span."""

    seconds: float
    requests: int
    failed: int
    p50_seconds: Number
    """Of the time to first token."""

    p90_seconds: Number


class ArmPart(Part):
    """One arm, its compared runs together."""

    name: Text
    runs: int
    requests: int
    failed: int
    ttft: tuple[QuantilePoint, ...]
    instances: tuple[Share, ...]
    instances_note: Text
    """Why shares are not available, or what they rest on; empty where every answer names its instance."""

    hit_rate_ceiling: Known
    """With a cache without bounds that all share."""

    hit_rate_predicted: Known
    """What a simulation of the arm's routing told beforehand."""

    hit_rate_delivered: Known
    """Cached tokens over tokens of the prompts."""

    overflow: Known
    """Share of requests that were sent away from the instance of their prefix."""

    servers: tuple[ServerFigure, ...]
    timeline: tuple[TimelinePoint, ...]
    bands: tuple[Band, ...]
    """Of any of the runs, on top of each other."""

    spans: tuple[SpanFigures, ...] = ()


class RunPart(Part):
    """One run; also one row of ``runs.csv``."""

    arm: Text
    pair: int
    position: int
    part: int = 0
    """Of the trace, from 0."""

    is_noise: bool
    started: datetime
    duration_seconds: float
    endpoint_arn: Text
    endpoint_config_arn: Text
    engine: Text = ""
    """What computed the answers; empty where it was not told."""

    fleet: Text
    instances: int | None = None
    """That served when it began; null where that was not told."""

    windows: tuple[Band, ...] = ()
    problems: tuple[Text, ...]
    requests: int
    failed: int
    lag_p99_seconds: Number
    figures: dict[str, Number]
    """Of steady state, by metric; null where unmeasured."""

    segments: dict[str, dict[str, Number]]
    """The same for each segment."""

    in_windows: dict[str, dict[str, Number]]
    """The same while caches were cold, and while instances came or went."""

    telemetry: dict[str, Any] | None


class NoisePart(Part):
    """What differs between runs of the baseline alone (A/A)."""

    metric: Text
    label: Text
    figures: tuple[Number, ...]
    deviation: float
    gain: float
    pairs_needed: int | None


class CriteriaPart(Part):
    """What was declared before the first run."""

    primary: Metric
    minimum_effect: float
    secondaries: tuple[Metric, ...]
    guards: dict[Metric, float]
    minimum_pairs: int
    alpha: float
    verdicts: int


class Threat(Part):
    """What may make the verdict wrong or narrower than it looks."""

    title: Text
    text: Text


class Report(Part):
    """A comparison, as its report tells it."""

    version: Literal[1]
    """Of the schema."""

    warmroute: Text
    """Version that made it."""

    baseline: Text
    criteria: CriteriaPart
    verdicts: tuple[VerdictPart, ...]
    arms: tuple[ArmPart, ...]
    """The baseline first, then the candidates in the order of the verdicts."""

    runs: tuple[RunPart, ...]
    aa: NoisePart | None
    threats: tuple[Threat, ...]
    notes: tuple[Text, ...]
    manifest: dict[str, Any]
