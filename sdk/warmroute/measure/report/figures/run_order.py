"""The primary metric of every run in the order in which they ran: drift shows here."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.figures.canvas import CARD, INK, LINE, MUTED, colour_of, place
from warmroute.measure.report.figures.scales import log_times
from warmroute.measure.report.markup import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from warmroute.measure.report.document import RunPart

MARKERS = "osD^vP"
"""So that arms differ without colours too."""


def run_order_height(width: int) -> int:
    """In CSS pixels."""
    return 300 if width > 500 else 280


def paint_run_order(figure: Figure, runs: Sequence[RunPart], arms: Sequence[str], metric: str) -> None:
    """Draw a mark for each run, hollow for one that is not compared."""
    axes: Any = figure.add_axes(place(figure, left=52, right=14, top=10 + 18 * len(arms), bottom=40))
    values = [run.figures.get(metric, float("nan")) for run in runs]
    log_times(axes.yaxis, values) if "per_second" not in metric else axes.margins(y=0.2)
    pairs: dict[tuple[bool, int], list[tuple[int, float]]] = {}
    for place_, (run, value) in enumerate(zip(runs, values, strict=True)):
        if not isfinite(value):
            continue
        pairs.setdefault((run.is_noise, run.pair), []).append((place_, value))
        number = arms.index(run.arm) if run.arm in arms else 0
        colour = colour_of(number)
        hollow = run.is_noise or bool(run.problems) or not run.compared
        axes.plot(
            [place_], [value], marker=MARKERS[number % len(MARKERS)], markersize=9, color=colour, zorder=3,
            markerfacecolor=CARD if hollow else colour, markeredgecolor=colour if hollow else CARD,
            markeredgewidth=1.5 if hollow else 1, clip_on=False,
        )  # fmt: skip
    for marks in pairs.values():
        axes.plot([mark[0] for mark in marks], [mark[1] for mark in marks], color=LINE, linewidth=2, zorder=2)
    axes.set_xlim(-0.6, max(len(runs), 2) - 0.4)
    axes.set_xticks([])
    axes.set_xlabel("runs in the order in which they ran", color=MUTED)
    axes.grid(visible=True, axis="y")
    width, height = figure.get_figwidth() * 72, figure.get_figheight() * 72
    for number, arm in enumerate(arms):
        y = 1 - (12 + 18 * number) / height
        figure.add_artist(_mark(60 / width, y, number))
        figure.text(74 / width, y, shortened(arm), va="center", color=INK)


def _mark(x: float, y: float, number: int) -> Any:
    from matplotlib.lines import Line2D

    colour = colour_of(number)
    return Line2D([x], [y], marker=MARKERS[number % len(MARKERS)], markersize=9, color=colour, markeredgecolor=CARD)
