"""``report.json`` as typed parts: the report, its verdicts, arms and runs."""

from warmroute.measure.report.document.arm import (
    ArmPart,
    Band,
    Known,
    QuantilePoint,
    ServerFigure,
    Share,
    SpanFigures,
    TimelinePoint,
)
from warmroute.measure.report.document.report import VERSION, CriteriaPart, Report, Threat
from warmroute.measure.report.document.run import NoisePart, RunPart
from warmroute.measure.report.document.verdict import (
    ComparedFigure,
    FurtherRuns,
    GuardFigure,
    PairFigure,
    SegmentFigure,
    VerdictPart,
    WindowFigures,
)

__all__ = [
    "VERSION",
    "ArmPart",
    "Band",
    "ComparedFigure",
    "CriteriaPart",
    "FurtherRuns",
    "GuardFigure",
    "Known",
    "NoisePart",
    "PairFigure",
    "QuantilePoint",
    "Report",
    "RunPart",
    "SegmentFigure",
    "ServerFigure",
    "Share",
    "SpanFigures",
    "Threat",
    "TimelinePoint",
    "VerdictPart",
    "WindowFigures",
]
