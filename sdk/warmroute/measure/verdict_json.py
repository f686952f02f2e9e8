"""A verdict as values of JSON."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warmroute.measure.compared import Compared, Guard
    from warmroute.measure.criteria import Criteria
    from warmroute.measure.metrics import Figures
    from warmroute.measure.segments import Segment
    from warmroute.measure.verdict import Verdict

VERDICT_FORMAT = 1
"""Raised when a field changes its meaning or goes; new fields may come without."""


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict, complete.

    An estimate that nothing bounds, and an infinite latency, are null.

    Args:
        verdict: The verdict.
    """
    return {
        "format": VERDICT_FORMAT,
        "baseline": verdict.baseline,
        "candidate": verdict.candidate,
        "decision": str(verdict.decision),
        "reasons": list(verdict.reasons),
        "adopt_for": list(verdict.adopt_for),
        "further": asdict(verdict.further) if verdict.further else None,
        "pairs": verdict.pairs,
        "left_out": list(verdict.left_out),
        "primary": _compared(verdict.primary),
        "guards": [_guard(guard) for guard in verdict.guards],
        "secondaries": [_compared(compared) for compared in verdict.secondaries],
        "segments": [_segment(segment) for segment in verdict.segments],
        "windows": {str(kind): [_compared(each) for each in found] for kind, found in verdict.windows.items()},
    }


def criteria_json(criteria: Criteria) -> dict[str, Any]:
    """What was declared before the first run.

    Args:
        criteria: The criteria.
    """
    return {
        "primary": str(criteria.primary),
        "minimum_effect": criteria.minimum_effect,
        "secondaries": [str(metric) for metric in criteria.secondaries],
        "guards": {str(metric): margin for metric, margin in criteria.guards.items()},
        "minimum_pairs": criteria.minimum_pairs,
        "alpha": criteria.alpha,
        "verdicts": criteria.verdicts,
    }


def figures_json(figures: Figures) -> dict[str, float | None]:
    """The figures of a run by metric; null where there is none.

    Args:
        figures: The figures.
    """
    return {str(metric): _number(value) if isinstance(value, float) else None for metric, value in figures.items()}


def _compared(compared: Compared) -> dict[str, Any]:
    estimate = compared.estimate
    return {
        "metric": str(compared.metric),
        "label": compared.metric.label,
        "scale": "difference" if compared.metric.compared_by_difference else "ratio",
        "effect": _number(compared.effect),
        "interval": [_number(end) for end in compared.interval],
        "alpha": compared.alpha,
        "p_adjusted": compared.p_adjusted,
        "by_pair": {str(pair): _number(value) for pair, value in compared.by_pair.items()},
        "estimate": {
            "mean": _number(estimate.mean),
            "standard_error": _number(estimate.standard_error),
            "degrees_of_freedom": estimate.degrees_of_freedom,
            "standard_deviation": _number(estimate.standard_deviation),
        },
        "unmeasured": asdict(compared.unmeasured) if compared.unmeasured else None,
    }


def _guard(guard: Guard) -> dict[str, Any]:
    return {"state": str(guard.state), "margin": guard.margin, **_compared(guard.compared)}


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "name": segment.name,
        "pays_off": segment.pays_off,
        "suffers": segment.suffers,
        "p_better": segment.p_better,
        "p_worse": segment.p_worse,
        "primary": _compared(segment.primary),
        "guards": [_guard(guard) for guard in segment.guards],
    }


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
