"""One run, and what differs between runs of the baseline alone."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic reads it.
from typing import Any

from warmroute.measure.report.document.arm import Band  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.values import Number, Part, Text


class RunPart(Part):
    """One run; also one row of ``runs.csv``."""

    arm: Text
    pair: int
    position: int
    part: int = 0
    """Of the trace, from 0."""

    is_noise: bool
    compared: bool = True
    """Whether it is in a pair that is compared; a valid run is not, whose partner is invalid."""

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
