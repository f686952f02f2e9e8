"""Shares as lollipops: requests of each instance, hit rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.figures.canvas import CARD, INK, LINE, MUTED, place
from warmroute.measure.report.markup import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

_GROUP, _ROW, _AXIS = 34, 24, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """One share."""

    label: str
    value: float | None
    """From 0 to 1; None where it is not available."""


@dataclass(frozen=True, slots=True)
class Group:
    """Shares that belong together, those of an arm."""

    label: str
    colour: str
    bars: tuple[Bar, ...]
    even: float | None = None
    """What each would have if all had the same."""


def bars_height(groups: Sequence[Group]) -> int:
    """In CSS pixels."""
    return sum(_GROUP + _ROW * len(group.bars) for group in groups) + _AXIS


def paint_bars(figure: Figure, groups: Sequence[Group], *, whole: bool) -> None:
    """Draw them below each other on one axis.

    Args:
        figure: Empty.
        groups: From top to bottom.
        whole: Whether the axis ends at 100 %; else where the largest share does.
    """
    width = figure.get_figwidth() * 72
    longest = max(len(shortened(bar.label, 22)) for group in groups for bar in group.bars)
    label = min(0.4 * width, 24 + 7.0 * longest)
    axes: Any = figure.add_axes(place(figure, left=label, right=58, top=0, bottom=_AXIS))
    largest = max(
        [bar.value or 0.0 for group in groups for bar in group.bars] + [group.even or 0.0 for group in groups]
    )
    end = 1.0 if whole else max(1.12 * largest, 0.01)
    axes.set_xlim(0, end)
    axes.set_ylim(figure.get_figheight() * 72 - _AXIS, 0)
    axes.set_yticks([])
    top = 0.0
    for group in groups:
        axes.annotate(
            shortened(group.label, 36), (0, top + _GROUP - 12), (-label + 2, 0), textcoords="offset points",
            fontweight="bold", color=INK, va="center", annotation_clip=False,
        )  # fmt: skip
        top += _GROUP
        if group.even is not None:
            axes.plot(
                [group.even] * 2, [top - 6, top + _ROW * len(group.bars) - 4], color=MUTED, linewidth=1.2, dashes=(3, 2)
            )
        for bar in group.bars:
            _paint(axes, top + _ROW / 2, bar, group.colour, -8)
            top += _ROW
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5) if end / step <= 5 or step == 0.5)
    ticks = [step * number for number in range(int(end / step + 1e-9) + 1)]
    axes.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])
    axes.grid(visible=True, axis="x")


def _paint(axes: Any, y: float, bar: Bar, colour: str, offset: float) -> None:
    axes.annotate(
        shortened(bar.label, 22), (0, y), (offset, 0), textcoords="offset points", ha="right", va="center", color=INK,
        fontsize=11.5, annotation_clip=False,
    )  # fmt: skip
    if bar.value is None:
        axes.annotate(
            "not available", (0, y), (6, 0), textcoords="offset points", va="center", color=MUTED, fontsize=11.5
        )
        return
    axes.plot([0, bar.value], [y, y], color=LINE, linewidth=5, solid_capstyle="butt")
    axes.plot([0, bar.value], [y, y], color=colour, linewidth=3, solid_capstyle="butt")
    axes.plot([bar.value], [y], marker="o", markersize=10, color=colour, markeredgecolor=CARD, clip_on=False)
    axes.annotate(
        f"{100 * bar.value:.1f} %", (bar.value, y), (9, 0), textcoords="offset points", va="center", color=INK,
        fontsize=11.5, annotation_clip=False,
    )  # fmt: skip
