"""The record: every run, what may mislead, and how to repeat the comparison."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from warmroute.measure.metrics import Metric
from warmroute.measure.report.figures.run_order import paint_run_order, run_order_height
from warmroute.measure.report.figures.scales import duration
from warmroute.measure.report.markup import Markup, join, name, tag, visible
from warmroute.measure.report.sections.parts import figure, listed, metric_value, paragraph, section, table
from warmroute.wording import counted

if TYPE_CHECKING:
    from warmroute.measure.report.document import CriteriaPart, Report, RunPart


def runs(report: Report) -> Markup:
    """Every run in the order in which they ran."""
    metric = Metric(report.criteria.primary)
    arms = [arm.name for arm in report.arms]
    parted = len({run.part for run in report.runs}) > 1
    lines = [
        [
            f"{run.started:%Y-%m-%d %H:%M:%S}", name(run.arm), "A/A" if run.is_noise else str(run.pair),
            *([str(run.part + 1)] if parted else []), _state(run),
            metric_value(metric.value, run.figures.get(metric.value, float("nan"))), f"{run.requests:,}",
            f"{run.failed:,}", duration(run.lag_p99_seconds), name(run.fleet) if run.fleet else "",
        ]
        for run in report.runs
    ]  # fmt: skip
    state = [*(["Part"] if parted else []), "State"]
    head = ["Started", "Arm", "Pair", *state, metric.label, "Requests", "Failed", "P99 send lag", "Fleet"]
    return section(
        "runs",
        "Run by run",
        _noise(report),
        figure(
            "order",
            f"{metric.label} of each run in the order in which they ran",
            "One mark for each run, the runs of a pair joined. Hollow: not compared, because it is a run of the "
            "baseline against itself (A/A), or its pair is not valid. A trend from left to right would be drift.",
            lambda canvas: paint_run_order(canvas, report.runs, arms, metric.value),
            run_order_height,
            table("Runs in the order in which they ran", head, lines, text_columns=4 + parted),
        ),
    )


def _state(run: RunPart) -> str:
    if run.problems:
        return f"left out: {' '.join(run.problems)}"
    if not run.is_noise and not run.compared:
        return "left out with its pair"
    scaling = "; ".join(window.reason for window in run.windows if window.kind == "scaling")
    return f"{'noise only' if run.is_noise else 'compared'}{', scaling apart: ' if scaling else ''}{scaling}"


def _noise(report: Report) -> Markup:
    aa = report.aa
    if aa is None:
        return paragraph("The baseline was not run against itself (A/A), so the noise between runs is not known apart.")
    needed = "more pairs than anybody runs" if aa.pairs_needed is None else counted(aa.pairs_needed, "pair")
    return paragraph(
        f"{len(aa.figures)} runs of the baseline against itself (A/A) differ in {aa.label} by ",
        tag("strong", f"{100 * aa.deviation:.1f} %"),
        f": to find a gain of {100 * aa.gain:g} % takes {needed}.",
    )


def threats(report: Report) -> Markup:
    """What may make the verdict wrong."""
    items = [tag("div", tag("dt", threat.title), tag("dd", threat.text, dir="auto")) for threat in report.threats]
    return section(
        "threats",
        "What may mislead",
        paragraph("Told from the runs of this comparison."),
        tag("dl", *items, class_="threats"),
        listed(report.notes) if report.notes else None,
    )


def repeat(report: Report) -> Markup:
    """What it takes to do it again."""
    criteria = report.criteria
    guards = [f"{metric.label}: {_allowed(metric, margin)}" for metric, margin in _guards(criteria)]
    declared = [
        ["Decides", Metric(criteria.primary).label],
        ["Smallest gain worth a change", f"{100 * criteria.minimum_effect:g} %"],
        ["How much worse guards may be", "; ".join(guards) or "no guards"],
        ["Fewest pairs", str(criteria.minimum_pairs)],
        [
            "Chance of a false finding",
            f"{100 * criteria.alpha:g} %" + (f", for {criteria.verdicts} verdicts together" * (criteria.verdicts > 1)),
        ],
    ]
    text = json.dumps(report.manifest, indent=2, ensure_ascii=False, sort_keys=True)
    lines = Markup("\n".join(escape(visible(line)) for line in text.split("\n")))
    return section(
        "repeat",
        "How to repeat it",
        table("Declared before the first run", ["What", "Value"], declared, text_columns=2),
        paragraph(
            "The manifest names what was asked for and what it ran on. Beside this page, ",
            *_code("runs.csv", " has a line for each run, "),
            *_code("requests.parquet", " a row for each request, "),
            *_code("report.json", " everything that is shown here; "),
            *_code("warmroute report", " makes the page anew from it. Prompts are in none of them."),
        ),
        tag("details", tag("summary", "Manifest"), tag("pre", tag("code", lines), tabindex="0")),
    )


def _guards(criteria: CriteriaPart) -> list[tuple[Metric, float]]:
    return [(Metric(name), margin) for name, margin in criteria.guards.items()]


def _allowed(metric: Metric, margin: float) -> str:
    return f"{100 * margin:g} {'points' if metric.compared_by_difference else '%'}"


def _code(text: str, after: str) -> tuple[Markup, str]:
    return tag("code", text), after


def footer(report: Report) -> Markup:
    """Who made it."""
    return tag("footer", join("Made by warmroute ", report.warmroute, ", from ", tag("code", "report.json"), "."))
