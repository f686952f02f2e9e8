"""The forest plot: for each figure its change in every pair, and their mean with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.figures.canvas import BAD, CARD, GOOD, INK, LINE, MUTED, is_narrow, place
from warmroute.measure.report.figures.scales import nice_step, ratio_ticks
from warmroute.measure.report.markup import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from warmroute.measure.report.document import ComparedFigure

_ROW, _TOP, _AXIS = 54, 26, 40
_HALF_A_LABEL = 42
_SMALLEST_REACH, _LARGEST_REACH = log(1.15), log(16.0)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the plot."""

    label: str
    figure: ComparedFigure
    limit: float | None = None
    """How much worse it may be, on the scale of the figure's effect."""

    goal: float | None = None
    """The gain that it has to exceed, as a ratio below 1."""

    strong: bool = False


def forest_height(rows: Sequence[Row]) -> int:
    """In CSS pixels."""
    ratios, differences = _parted(rows)
    return sum(_TOP + _ROW * len(part) + _AXIS for part in (ratios, differences) if part)


def paint_forest(figure: Figure, rows: Sequence[Row], colour: str) -> None:
    """Draw it; ratios first, shares of failed requests below them on an axis of their own.

    Args:
        figure: Empty.
        rows: From top to bottom.
        colour: Of the candidate.
    """
    ratios, differences = _parted(rows)
    height = figure.get_figheight() * 72
    top = 0.0
    for part, paint in ((ratios, _ratio_axis), (differences, _difference_axis)):
        if not part:
            continue
        bottom = top + _TOP + _ROW * len(part)
        axes: Any = figure.add_axes(place(figure, left=2, right=2, top=top + _TOP, bottom=height - bottom))
        axes.set_ylim(len(part), 0)
        axes.set_yticks([])
        reach = paint(axes, part, narrow=is_narrow(figure))
        for number, row in enumerate(part):
            _paint_row(axes, number, row, reach, colour)
        top = bottom + _AXIS


def _parted(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    return (
        [row for row in rows if not row.figure.compared_by_difference],
        [row for row in rows if row.figure.compared_by_difference],
    )


def _ratio_axis(axes: Any, rows: Sequence[Row], *, narrow: bool) -> float:
    found = [abs(value) for row in rows for value in _values(row) if isfinite(value)]
    reach = min(_LARGEST_REACH, max([1.15 * value for value in found] + [_SMALLEST_REACH]))
    ticks = ratio_ticks(-reach, reach, 5 if narrow else 9)
    axes.set_xticks([tick for tick, _ in ticks], [label for _, label in ticks])
    _finish(axes, reach)
    return reach


def _difference_axis(axes: Any, rows: Sequence[Row], *, narrow: bool) -> float:
    found = [abs(value) for row in rows for value in _values(row) if isfinite(value)]
    reach = 1.2 * max([*found, 0.001])
    step = nice_step(reach / (1.9 if narrow else 2.4))
    ticks = [step * number for number in range(-int(reach / step), int(reach / step) + 1)]
    labels = [f"{100 * tick:+.3g} points".replace("-", "\N{MINUS SIGN}") if tick else "no change" for tick in ticks]
    axes.set_xticks(ticks, labels)
    _finish(axes, reach)
    return reach


def _finish(axes: Any, reach: float) -> None:
    axes.set_xlim(-reach, reach)
    room = reach * (1 - 2 * _HALF_A_LABEL / axes.get_window_extent().width)
    for label, tick in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True):  # Those at the edges stay inside.
        label.set_horizontalalignment("left" if tick < -room else "right" if tick > room else "center")
    axes.text(0, 1, "\N{LEFTWARDS ARROW} better", transform=axes.transAxes, va="bottom", color=MUTED, fontsize=11)
    axes.text(
        1, 1, "worse \N{RIGHTWARDS ARROW}", transform=axes.transAxes, va="bottom", ha="right", color=MUTED, fontsize=11
    )


def _values(row: Row) -> list[float]:
    """Where the marks of a row lie, to the left where the candidate is better."""
    figure = row.figure
    if figure.unmeasured:
        return []
    limits = [value for value in (row.limit, row.goal) if value is not None]
    return [_place(figure, value) for value in (figure.effect, figure.low, figure.high, *limits)] + [
        _place(figure, pair.effect) for pair in figure.by_pair
    ]


def _place(figure: ComparedFigure, effect: float) -> float:
    if figure.compared_by_difference:
        value = effect
    else:
        value = log(effect) if 0 < effect < inf else (inf if effect == inf else -inf if effect == 0 else effect)
    return value if figure.more_is_worse else -value


def _paint_row(axes: Any, number: int, row: Row, reach: float, colour: str) -> None:
    figure, line, text = row.figure, number + 0.68, number + 0.26
    weight = "bold" if row.strong else "normal"
    axes.text(-reach, text, shortened(row.label, 40), va="center", fontweight=weight, color=INK)
    axes.text(reach, text, figure.change, va="center", ha="right", fontweight=weight, color=INK)
    if figure.unmeasured:
        axes.text(0, line, "not available", va="center", ha="center", color=MUTED, fontsize=11)
        return
    for value, shade in ((row.limit, BAD), (row.goal, GOOD)):
        if value is not None:
            edge = _clipped(_place(figure, value), reach)
            end = reach if shade is BAD else -reach
            axes.fill_betweenx([number + 0.46, number + 0.9], edge, end, color=shade, alpha=0.13, linewidth=0)
            axes.plot([edge, edge], [number + 0.46, number + 0.9], color=shade, linewidth=1.6)
    axes.plot([0, 0], [number + 0.46, number + 0.9], color=MUTED, linewidth=1.2, zorder=1)
    axes.plot([-reach, reach], [line, line], color=LINE, linewidth=1, zorder=1)
    pairs = [_clipped(_place(figure, pair.effect), reach) for pair in figure.by_pair]
    axes.plot(
        [pair for pair in pairs if pair == pair], [line] * sum(pair == pair for pair in pairs),  # noqa: PLR0124 - NaN.
        linestyle="none", marker="o", markersize=7, markerfacecolor=CARD, markeredgecolor=colour, markeredgewidth=1.3,
        alpha=0.9, clip_on=False,
    )  # fmt: skip
    ends = sorted(_clipped(_place(figure, end), reach) for end in (figure.low, figure.high))
    if all(end == end for end in ends):  # noqa: PLR0124 - NaN.
        axes.plot(ends, [line, line], color=colour, linewidth=4, zorder=3)
    mean = _clipped(_place(figure, figure.effect), reach)
    axes.plot([mean], [line], marker="D", markersize=10, color=colour, markeredgecolor=CARD, zorder=4, clip_on=False)


def _clipped(value: float, reach: float) -> float:
    return value if value != value else max(-reach, min(reach, value))  # noqa: PLR0124 - NaN.
