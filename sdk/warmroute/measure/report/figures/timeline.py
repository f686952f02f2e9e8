"""Times to first token over the course of a run, with the spans that are no steady state."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from warmroute.measure.report.figures.canvas import BAD, COLD, INK, MUTED, SCALING, colour_of, place
from warmroute.measure.report.figures.scales import log_times
from warmroute.measure.report.markup import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from warmroute.measure.report.document import ArmPart

_PANEL, _TITLE, _AXIS = 130, 30, 42
_BANDS = {"cold": COLD, "scaling": SCALING}


def timeline_height(arms: Sequence[ArmPart]) -> int:
    """In CSS pixels."""
    return len(arms) * (_PANEL + _TITLE) + _AXIS


def paint_timeline(figure: Figure, arms: Sequence[ArmPart]) -> None:
    """Draw a panel for each arm, all on the same axes."""
    height = figure.get_figheight() * 72
    times = [t for arm in arms for point in arm.timeline for t in (point.p50_seconds, point.p90_seconds)]
    end, unit, factor = _time_axis(arms)
    for number, arm in enumerate(arms):
        top = number * (_PANEL + _TITLE) + _TITLE
        axes: Any = figure.add_axes(place(figure, left=52, right=14, top=top, bottom=height - top - _PANEL))
        colour = colour_of(number)
        axes.set_title(shortened(arm.name), loc="left", color=INK, fontsize=12, fontweight="bold", pad=8)
        middles = [factor * (point.from_seconds + point.to_seconds) / 2 for point in arm.timeline]
        p50, p90 = ([_finite(value) for value in values] for values in _quantiles(arm))
        log_times(axes.yaxis, times)
        lowest, highest = axes.get_ylim()
        axes.set_ylim(lowest, highest * (highest / lowest) ** 0.2)  # Room for the names of the bands.
        _paint_bands(axes, arm, factor)
        axes.plot(middles, p90, color=colour, linewidth=2.2, marker="o" if _gaps(p90) else None, markersize=3)
        axes.plot(middles, p50, color=colour, linewidth=1.4, linestyle=(0, (3, 2)))
        failed = [middle for middle, point in zip(middles, arm.timeline, strict=True) if point.failed]
        axes.plot(failed, [lowest] * len(failed), "x", color=BAD, markersize=6, clip_on=False)
        axes.set_xlim(0, end)
        axes.grid(visible=True, axis="y")
        if number < len(arms) - 1:
            axes.tick_params(labelbottom=False)
        else:
            axes.set_xlabel(f"{unit} since the start of the run")


def _time_axis(arms: Sequence[ArmPart]) -> tuple[float, str, float]:
    seconds = max([point.to_seconds for arm in arms for point in arm.timeline] + [1e-3])
    unit, factor = ("minutes", 1 / 60) if seconds >= 180 else ("seconds", 1.0)
    return factor * seconds, unit, factor


def _quantiles(arm: ArmPart) -> tuple[list[float], list[float]]:
    return [point.p50_seconds for point in arm.timeline], [point.p90_seconds for point in arm.timeline]


def _finite(value: float) -> float:
    return value if isfinite(value) and value > 0 else nan


def _gaps(values: Sequence[float]) -> bool:
    return any(value != value for value in values)  # noqa: PLR0124 - NaN.


def _paint_bands(axes: Any, arm: ArmPart, factor: float) -> None:
    for band in arm.bands:
        colour = _BANDS.get(band.kind, MUTED)
        axes.axvspan(factor * band.from_seconds, factor * band.to_seconds, color=colour, alpha=0.16, linewidth=0)
        axes.text(
            factor * band.from_seconds, 0.97, f" {band.kind}", transform=axes.get_xaxis_transform(), va="top",
            color=INK, fontsize=11, clip_on=True,
        )  # fmt: skip
