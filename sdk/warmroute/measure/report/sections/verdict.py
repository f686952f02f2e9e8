"""One candidate: the verdict in one sentence, what it rests on, and its figures."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from warmroute.measure.report.figures.canvas import colour_of
from warmroute.measure.report.figures.forest import Row, forest_height, paint_forest
from warmroute.measure.report.markup import Markup, join, name, tag
from warmroute.measure.report.sections.parts import figure, listed, metric_value, paragraph, section, table
from warmroute.measure.run import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.measure.report.document import ComparedFigure, Report, VerdictPart

_CLASSES = {"adopt": "good", "adopt narrowly": "good", "don't": "bad", "inconclusive": "open"}


def headline(number: int, verdict: VerdictPart, report: Report) -> Markup:
    """The verdict on one candidate, as a card at the top of the page."""
    simulated = any(run.compared and run.engine.startswith(SIMULATED) for run in report.runs)
    rests_on = f", {_pairs(verdict.pairs)}{' on simulated engines' if simulated else ''}"
    return tag(
        "a",
        tag("span", verdict.decision, class_=f"decision {_CLASSES.get(verdict.decision, 'open')}"),
        tag("span", verdict.headline, class_="sentence", dir="auto"),
        tag("span", _why(verdict), class_="why"),
        tag("span", name(verdict.candidate), " against ", name(report.baseline), rests_on, class_="what"),
        class_="verdict",
        href=f"#candidate-{number}",
    )


def candidate(number: int, verdict: VerdictPart, report: Report) -> Markup:
    """Everything on one candidate."""
    key = f"candidate-{number}"
    rows = _rows(verdict, report)
    return section(
        key,
        join(name(verdict.candidate), " against ", name(report.baseline)),
        _key_figures(verdict, report.baseline),
        tag("h3", "Why"),
        listed(verdict.reasons, "reasons"),
        tag("h3", "What changes"),
        figure(
            f"forest-{number}",
            f"Change of each figure from {report.baseline} to {verdict.candidate}",
            _forest_caption(verdict, report.criteria.minimum_effect),
            lambda canvas: paint_forest(canvas, rows, colour_of(number)),
            lambda _: forest_height(rows),
            _by_pair(rows),
        ),
        tag("h3", "All figures"),
        _all_figures(verdict, report),
        *_segments(number, verdict, report),
        *_windows(verdict),
    )


def _why(verdict: VerdictPart) -> str:
    return " ".join(verdict.reasons[:2])


def _pairs(count: int) -> str:
    return f"{count} pair{'' if count == 1 else 's'} of runs"


def _key_figures(verdict: VerdictPart, baseline: str) -> Markup:
    chosen = {compared.label: compared for compared in (verdict.primary, *(g.compared for g in verdict.guards))}
    cards = [
        tag(
            "div",
            tag("dt", compared.label),
            tag("dd", tag("strong", compared.change), class_="change"),
            tag(
                "dd", name(baseline), f" {metric_value(compared.metric, compared.baseline)}", " → ",
                name(verdict.candidate), f" {metric_value(compared.metric, compared.candidate)}",
            ),
        )
        for compared in list(chosen.values())[:4]
        if not compared.unmeasured
    ]  # fmt: skip
    return tag("dl", *cards, class_="cards") if cards else Markup("")


def _rows(verdict: VerdictPart, report: Report) -> list[Row]:
    """The primary metric, the guards with their limits, then what is neither."""
    limits = {guard.compared.metric: guard.limit for guard in verdict.guards}
    goal = 1 - report.criteria.minimum_effect
    if not verdict.primary.more_is_worse:
        goal = 1 / goal
    rows = [Row(verdict.primary.label, verdict.primary, limits.get(verdict.primary.metric), goal, strong=True)]
    rows += [Row(guard.compared.label, guard.compared, guard.limit) for guard in verdict.guards]
    rows += [Row(compared.label, compared) for compared in verdict.secondaries]
    first_of_each: dict[str, Row] = {}
    for row in rows:
        first_of_each.setdefault(row.figure.metric, row)
    return list(first_of_each.values())


def _forest_caption(verdict: VerdictPart, minimum_effect: float) -> Markup:
    confidence = f"{100 * verdict.primary.confidence:.3g} %"
    return join(
        f"Each circle is one pair of runs, the diamond their mean, the bar its {confidence} interval. ",
        f"Green: a gain of more than {100 * minimum_effect:g} %, where the whole bar of the first line has to lie. ",
        "Red: worse than a guard allows; a guard holds when its whole bar lies outside. ",
        "For throughput the axis is turned round, so that left is better in every line.",
    )


def _by_pair(rows: Sequence[Row]) -> Markup:
    numbers = sorted({pair.pair for row in rows for pair in row.figure.by_pair})
    lines = []
    for row in rows:
        found = {pair.pair: pair.effect for pair in row.figure.by_pair}
        lines.append(
            [row.label, row.figure.change, row.figure.interval]
            + [_effect(row.figure, found.get(number, float("nan"))) for number in numbers]
        )
    head = ["Figure", "Mean", "Interval", *(f"Pair {number}" for number in numbers)]
    return table("Change of each figure by pair", head, lines, text_columns=3)


def _effect(figure: ComparedFigure, effect: float) -> str:
    if isnan(effect):
        return "not available"
    if figure.compared_by_difference:
        return f"{100 * effect:+.2f} points".replace("-", "\N{MINUS SIGN}")
    return "infinite" if effect > 1e6 else f"{100 * (effect - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")


def _all_figures(verdict: VerdictPart, report: Report) -> Markup:
    guards = {guard.compared.metric: guard.state.replace("open", "not settled") for guard in verdict.guards}
    lines = []
    for row in _rows(verdict, report):
        compared = row.figure
        role = "decides" if compared.metric == verdict.primary.metric else ""
        if compared.metric in guards:
            role += f"{', ' if role else ''}guard: {guards[compared.metric]}"
        p = next((one.p_adjusted for one in verdict.secondaries if one.metric == compared.metric), float("nan"))
        lines.append([
            compared.label, role or "shown", compared.change, compared.interval,
            metric_value(compared.metric, compared.baseline), metric_value(compared.metric, compared.candidate),
            "" if isnan(p) else "below 0.001" if p < 0.001 else f"{p:.3f}",
        ])  # fmt: skip
    head = ["Figure", "Role", "Change", "Interval", name(report.baseline), name(verdict.candidate), "p (Holm)"]
    return table("All figures of a typical run, in steady state", head, lines, text_columns=4)


def _segments(number: int, verdict: VerdictPart, report: Report) -> list[Markup | None]:
    if not verdict.segments:
        return []
    goal = 1 - report.criteria.minimum_effect
    rows = [Row(one.name, one.primary, None, goal) for one in verdict.segments]
    lines = [
        [
            name(one.name), "pays off" if one.pays_off else "suffers" if one.suffers else "not shown",
            one.primary.change, one.primary.interval, metric_value(one.primary.metric, one.primary.baseline),
            metric_value(one.primary.metric, one.primary.candidate),
        ]
        for one in verdict.segments
    ]  # fmt: skip
    head = ["Segment", "Shown", "Change", "Interval", name(report.baseline), name(verdict.candidate)]
    return [
        tag("h3", "Segments"),
        figure(
            f"segments-{number}",
            f"Change of {verdict.primary.label} in each segment",
            f"{verdict.primary.label} in each part of the traffic. The more parts are looked at, the more each has to "
            "show.",
            lambda canvas: paint_forest(canvas, rows, colour_of(number)),
            lambda _: forest_height(rows),
            table(f"{verdict.primary.label} by segment", head, lines, text_columns=4),
        ),
    ]


def _windows(verdict: VerdictPart) -> list[Markup | None]:
    parts: list[Markup | None] = []
    for window in verdict.windows:
        lines = [
            [
                one.label, one.change, one.interval, metric_value(one.metric, one.baseline),
                metric_value(one.metric, one.candidate),
            ]
            for one in window.figures
            if not one.unmeasured
        ]  # fmt: skip
        head = ["Figure", "Change", "Interval", "Baseline", "Candidate"]
        unknown = [one.label for one in window.figures if one.unmeasured]
        parts += [
            tag("h3", f"While {'caches are cold' if window.kind == 'cold' else 'instances come or go'}"),
            paragraph("Shown apart from steady state; it does not decide."),
            table(f"Figures of the {window.kind} windows", head, lines, text_columns=3) if lines else None,
            paragraph(f"Not known, of so few requests as a rule: {', '.join(unknown)}.") if unknown else None,
        ]
    return parts
