"""What the requests of one arm met, and where they went."""

from __future__ import annotations

from typing import Literal

from warmroute.measure.report.values import Number, Part, Text


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
    """Of the answers of its fleet; an arm whose variants changed roles has several."""


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
