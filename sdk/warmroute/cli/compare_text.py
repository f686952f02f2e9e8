"""The plan and the outcome of a comparison in words."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

import typer

from warmroute.cli.output import Format, is_terminal, print_json
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from warmroute.measure.compared import Compared
    from warmroute.measure.comparison import Comparison, Noise
    from warmroute.measure.experiment import Arm, Plan
    from warmroute.measure.verdict import Verdict


def print_plan(
    plan: Plan,
    arms: Sequence[Arm],
    trace: Mapping[str, Any],
    notes: Sequence[str],
    format: Format,  # noqa: A002
    *,
    waits_for_cloudwatch: bool,
) -> None:
    """What is about to be run."""
    if format is Format.JSON:
        print_json({**asdict(plan), "arms": [{"name": arm.name, **arm.describe()} for arm in arms], "trace": trace})
        return
    baseline, *candidates = (arm.name for arm in arms)
    parts = trace["parts"]
    requests = [part["requests"] for part in parts] if len(parts) > 1 else [trace["requests"]]
    few, many = min(requests), max(requests)
    sizes = counted(few, "request") if few == many else f"{few:,} to {counted(many, 'request')}"
    typer.echo(f"{baseline} (baseline) against {', '.join(candidates)}: {sizes} a run")
    for note in notes:
        typer.echo(f"note: {note}")
    few, many = plan.least_pairs, plan.most_pairs
    pairs = counted(few, "pair") if few == many else f"{few} to {many} pairs, as the noise demands"
    alone = f"{counted(plan.aa_runs, 'run')} of {baseline} alone, then " if plan.aa_runs else ""
    typer.echo(f"{alone}{pairs}")
    least, most = _time(plan.least_hours), _time(plan.most_hours)
    time = least if least == most else f"{least} to {most}"
    typer.echo(f"{time} of runs; what lies between them is not counted")
    if waits_for_cloudwatch:
        from warmroute.measure.telemetry.cloudwatch import WAIT_SECONDS

        typer.echo(
            f"after each, up to {WAIT_SECONDS / 60:.0f} minutes until CloudWatch has counted it; --no-telemetry leaves "
            "that out"
        )
    if plan.instances:
        hours = [f"{each * plan.instances:,.1f}" for each in (plan.least_hours, plan.most_hours)]
        typer.echo(f"{' to '.join(dict.fromkeys(hours))} instance-hours, on {counted(plan.instances, 'instance')}")


def print_comparison(comparison: Comparison, folder: Path) -> None:
    """The verdicts first, then what they rest on."""
    for verdict in comparison.verdicts:
        _print_verdict(verdict)
    if not comparison.verdicts:
        typer.echo("\nNo verdict: no two arms have a valid run.")
    if comparison.aa is not None:
        typer.echo(f"\n{_noise(comparison.aa)}")
    if any(run.is_simulated for run in comparison.runs):
        typer.echo("note: Engines were simulated: the figures say what to expect, and not what was seen on SageMaker.")
    for run in comparison.runs:
        if run.problems:
            typer.echo(left_out(run.folder, run.problems))
    for note in comparison.notes:
        typer.echo(f"note: {note}")
    typer.echo(f"recorded in {folder}")


def left_out(run: Path, problems: Sequence[str]) -> str:
    """A run that is not compared, by its folder, and why."""
    return f"left out: {run.parent.name}/{run.name}: {' '.join(problems)}"


def _print_verdict(verdict: Verdict) -> None:
    from warmroute.measure.decision import Decision

    first, *others = verdict.reasons
    adopts = f" for {', '.join(verdict.adopt_for)}" if verdict.adopt_for else ""
    typer.echo(f"\n{verdict.candidate} instead of {verdict.baseline}: {verdict.decision.upper()}{adopts}. {first}")
    if not verdict.pairs:
        return
    for reason in others:
        typer.echo(f"  {reason}")
    if verdict.further is not None:
        more = verdict.further
        pairs = counted(more.pairs, "further pair")
        typer.echo(f"  {pairs}, {more.hours:,.1f} hours, would decide if the effect is as it looks.")
    elif verdict.decision is Decision.INCONCLUSIVE:
        typer.echo("  More pairs alone would not decide.")
    _print_table([verdict.primary, *verdict.secondaries])
    for segment in verdict.segments:
        word = "pays off" if segment.pays_off else "suffers" if segment.suffers else "not shown"
        typer.echo(f"  segment {segment.name}: {word}; {_row(segment.primary)[1]} {_row(segment.primary)[2]}")


def _print_table(compared: Sequence[Compared]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("figure", "change", "interval", "p, adjusted"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for each in compared:
        table.add_row(*_row(each))
    Console(width=None if is_terminal() else 100, highlight=False).print(table)


def _row(compared: Compared) -> tuple[str, str, str, str]:
    if compared.unmeasured:
        return compared.metric.label, "-", "not known", ""
    low, high = compared.interval
    if not isfinite(high):
        return compared.metric.label, _percent(compared.effect), "unbounded", ""
    adjusted = compared.p_adjusted
    p = "" if adjusted is None else "below 0.001" if adjusted < 0.001 else f"{adjusted:.3f}"
    return compared.metric.label, _percent(compared.effect), f"{_percent(low)} to {_percent(high)}", p


def _percent(ratio: float) -> str:
    """A ratio as a change; everything that is compared by rows is one."""
    return f"{100 * (ratio - 1):+,.1f} %" if isfinite(ratio) else "infinite"


def _noise(noise: Noise) -> str:
    needs = "more pairs than anybody runs" if noise.pairs_needed is None else counted(noise.pairs_needed, "pair")
    differs = (
        f"{noise.metric.label} of {counted(len(noise.figures), 'run')} of the baseline differs by {noise.deviation:.1%}"
    )
    return f"A/A: {differs}; a gain of {noise.gain:.0%} takes {needs}."


def _time(hours: float) -> str:
    seconds = 3_600 * hours
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if hours < 2 else f"{hours:.1f} h"
