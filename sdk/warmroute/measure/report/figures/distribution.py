"""Times to first token by quantile, the tail drawn as wide as the body."""

from __future__ import annotations

from math import isfinite, log10
from typing import TYPE_CHECKING, Any, Final

from warmroute.measure.report.figures.canvas import CARD, INK, colour_of, is_narrow, place
from warmroute.measure.report.figures.scales import log_times
from warmroute.measure.report.markup import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from warmroute.measure.report.document import ArmPart

DASHES: Final[tuple[Any, ...]] = ("-", (0, (7, 2)), (0, (2, 1.5)), (0, (7, 2, 2, 2)), "--", ":")
"""So that arms differ without colours too."""

_SHARES = (0.05, 0.5, 0.9, 0.99, 0.999, 0.9999)


def distribution_height(width: int) -> int:
    """In CSS pixels."""
    return 380 if width > 500 else 330


def paint_distribution(figure: Figure, arms: Sequence[ArmPart]) -> None:
    """Draw a line for each arm and behind it the range of its runs."""
    narrow = is_narrow(figure)
    axes: Any = figure.add_axes(place(figure, left=52, right=14, top=16 + 18 * len(arms), bottom=40))
    times: list[float] = []
    furthest = 0.0
    for number, arm in enumerate(arms):
        colour = colour_of(number)
        points = [point for point in arm.ttft if isfinite(point.all_runs) and point.all_runs > 0]
        x = [-log10(1 - point.probability) for point in points]
        if not points:
            continue
        ends = [(point.lowest_run, point.highest_run) for point in points]
        top = max((high for _, high in ends if isfinite(high)), default=points[-1].all_runs)
        axes.fill_between(
            x,
            [min(low, top) for low, _ in ends],
            [min(high, top) for _, high in ends],
            color=colour,
            alpha=0.16,
            linewidth=0,
        )
        line = [point.all_runs for point in points]
        axes.plot(x, line, color=colour, linewidth=2.4, linestyle=DASHES[number % len(DASHES)])
        axes.plot(x[-1:], line[-1:], marker="o", markersize=6, color=colour, markeredgecolor=CARD)
        times += line + [value for pair in ends for value in pair]
        furthest = max(furthest, x[-1])
    _legend(figure, arms)
    log_times(axes.yaxis, times)
    shares = [share for share in _SHARES if -log10(1 - share) <= max(furthest, 1.0) * 1.001]
    axes.set_xlim(-log10(1 - _SHARES[0]), max(furthest, 1.0))
    axes.set_xticks([-log10(1 - share) for share in shares], [f"P{100 * share:g}" for share in shares])
    axes.grid(visible=True)
    axes.set_xlabel(
        "share of requests answered by then" if narrow else "share of requests whose first token came by then"
    )


def _legend(figure: Figure, arms: Sequence[ArmPart]) -> None:
    width, height = figure.get_figwidth() * 72, figure.get_figheight() * 72
    for number, arm in enumerate(arms):
        y = 1 - (12 + 18 * number) / height
        figure.add_artist(_line([52 / width, 84 / width], [y, y], number))
        figure.text(92 / width, y, shortened(arm.name), va="center", color=INK)


def _line(x: list[float], y: list[float], number: int) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(x, y, color=colour_of(number), linewidth=2.4, linestyle=DASHES[number % len(DASHES)])
