"""One candidate's verdict, as ``report.json`` holds it."""

from __future__ import annotations

from math import exp, fsum, isfinite, isnan, log, nan
from typing import TYPE_CHECKING

from warmroute.measure.compared import steady
from warmroute.measure.decision import Decision
from warmroute.measure.metrics import Unmeasured
from warmroute.measure.report.document import (
    ComparedFigure,
    FurtherRuns,
    GuardFigure,
    PairFigure,
    SegmentFigure,
    VerdictPart,
    WindowFigures,
)
from warmroute.measure.wording import amount, guard_sentence, span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.measure.compared import Compared, Guard
    from warmroute.measure.criteria import Criteria
    from warmroute.measure.metrics import Figures, Metric
    from warmroute.measure.pairing import Pairing
    from warmroute.measure.run import WindowKind
    from warmroute.measure.summary import RunSummary
    from warmroute.measure.verdict import Verdict

    Part = Callable[[RunSummary], Figures | None]


def verdict_part(verdict: Verdict, pairing: Pairing, criteria: Criteria) -> VerdictPart:
    """A verdict with its figures as numbers and as words.

    Args:
        verdict: What was judged.
        pairing: The pairs that it was judged by.
        criteria: What was declared.
    """

    def figure(compared: Compared, part: Part = steady) -> ComparedFigure:
        return _figure(compared, pairing, part)

    def guarded(guard: Guard, part: Part = steady) -> GuardFigure:
        allowed = criteria.guards[guard.compared.metric]
        return GuardFigure(
            compared=figure(guard.compared, part),
            limit=_limit(guard.compared.metric, allowed),
            state=guard.state.value,
            sentence=guard_sentence(guard, allowed),
        )

    further = verdict.further
    return VerdictPart(
        candidate=verdict.candidate,
        decision=verdict.decision.value,
        headline=_headline(verdict),
        reasons=verdict.reasons,
        adopt_for=verdict.adopt_for,
        further=FurtherRuns(pairs=further.pairs, hours=further.hours) if further else None,
        pairs=verdict.pairs,
        left_out=verdict.left_out,
        confounded=pairing.confounded,
        primary=figure(verdict.primary),
        guards=tuple(guarded(guard) for guard in verdict.guards),
        secondaries=tuple(figure(compared) for compared in verdict.secondaries),
        segments=tuple(
            SegmentFigure(
                name=segment.name,
                primary=figure(segment.primary, _of_segment(segment.name)),
                guards=tuple(guarded(guard, _of_segment(segment.name)) for guard in segment.guards),
                p_better=segment.p_better,
                p_worse=segment.p_worse,
                pays_off=segment.pays_off,
                suffers=segment.suffers,
            )
            for segment in verdict.segments
        ),
        windows=tuple(
            WindowFigures(kind=kind.value, figures=tuple(figure(compared, _of_window(kind)) for compared in found))
            for kind, found in verdict.windows.items()
        ),
    )


def _headline(verdict: Verdict) -> str:
    match verdict.decision:
        case Decision.ADOPT:
            return f"Adopt {verdict.candidate}."
        case Decision.ADOPT_NARROWLY:
            return f"Adopt {verdict.candidate} for {_listed(verdict.adopt_for)} only."
        case Decision.DONT:
            return f"Don't adopt {verdict.candidate}."
        case Decision.INCONCLUSIVE if verdict.further:
            pairs, hours = verdict.further.pairs, verdict.further.hours
            more = f"{pairs:,} more pair{'s' if pairs > 1 else ''}"
            return f"Whether to adopt {verdict.candidate} is open: {more}, about {_hours(hours)}, would decide."
        case _:
            return f"Whether to adopt {verdict.candidate} is open, and more pairs alone would not decide."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def _hours(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours >= 1 else f"{max(1, round(60 * hours))} minutes"


def _limit(metric: Metric, allowed: float) -> float:
    if metric.compared_by_difference:
        return allowed
    return 1 + allowed if metric.more_is_worse else 1 - allowed


def _figure(compared: Compared, pairing: Pairing, part: Part) -> ComparedFigure:
    metric = compared.metric
    known = compared.unmeasured is None
    low, high = compared.interval
    return ComparedFigure(
        metric=metric,
        label=metric.label,
        unmeasured=compared.unmeasured.reason if compared.unmeasured else None,
        compared_by_difference=metric.compared_by_difference,
        more_is_worse=metric.more_is_worse,
        baseline=_typical(metric, [part(pair.baseline) for pair in pairing.pairs]) if known else nan,
        candidate=_typical(metric, [part(pair.candidate) for pair in pairing.pairs]) if known else nan,
        effect=compared.effect if known else nan,
        low=low if known else nan,
        high=high if known else nan,
        confidence=1 - compared.alpha,
        standard_error=compared.estimate.standard_error if known else nan,
        standard_deviation=compared.estimate.standard_deviation if known else nan,
        degrees_of_freedom=compared.estimate.degrees_of_freedom if known else 0,
        p_adjusted=nan if compared.p_adjusted is None else compared.p_adjusted,
        by_pair=tuple(
            PairFigure(pair=pair, effect=value if metric.compared_by_difference else _ratio(value))
            for pair, value in compared.by_pair.items()
        ),
        change=_in_words(known, compared.effect, lambda: amount(metric, compared.effect)),
        interval=_in_words(known, high, lambda: span(metric, low, high)),
    )


def _in_words(known: bool, value: float, words: Callable[[], str]) -> str:  # noqa: FBT001
    if not known:
        return "not available"
    return words() if isfinite(value) else "not bounded"


def _ratio(log_ratio: float) -> float:
    return log_ratio if isnan(log_ratio) else exp(min(log_ratio, 700.0)) if log_ratio < float("inf") else log_ratio


def _typical(metric: Metric, runs: Sequence[Figures | None]) -> float:
    """The mean over runs that belongs to the mean over pairs: of a ratio, the geometric one."""
    values = [run[metric] for run in runs if run is not None and metric in run]
    numbers = [value for value in values if not isinstance(value, Unmeasured)]
    if not numbers:
        return nan
    if metric.compared_by_difference:
        return fsum(numbers) / len(numbers)
    if any(value <= 0 or not isfinite(value) for value in numbers):
        return max(numbers) if not all(map(isfinite, numbers)) else fsum(numbers) / len(numbers)
    return exp(fsum(map(log, numbers)) / len(numbers))


def _of_segment(name: str) -> Part:
    return lambda run: run.segments.get(name)


def _of_window(kind: WindowKind) -> Part:
    return lambda run: run.windows.get(kind)
