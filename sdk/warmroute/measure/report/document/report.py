"""``report.json``: all that a report shows, from which its page can be made anew."""

from __future__ import annotations

from typing import Any, Literal

from warmroute.measure.metrics import Metric  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.document.arm import ArmPart  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.document.run import NoisePart, RunPart  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.document.verdict import VerdictPart  # noqa: TC001 - pydantic reads it.
from warmroute.measure.report.values import Part, Text

VERSION = 1
"""Of the schema; a field that is removed or changes its meaning raises it."""


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
