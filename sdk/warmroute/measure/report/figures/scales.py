"""Axes that people read: changes in percent, times, shares of requests."""

from __future__ import annotations

from math import isfinite, log, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_RATIOS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0, 4.0, 8.0, 16.0)
_TIMES = (1, 2, 5)


def ratio_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Places of an axis of log ratios and their labels, "no change" always among them.

    Args:
        low: Its lower end, a log ratio below zero.
        high: Its upper end.
        most: How many have room.
    """
    gap = (high - low) / most
    chosen = [0.0]
    for ratio in sorted(_RATIOS, key=lambda ratio: abs(log(ratio))):
        place = log(ratio)
        if low <= place <= high and all(abs(place - other) >= gap for other in chosen):
            chosen.append(place)
    return [(place, _percent(place)) for place in sorted(chosen)]


def _percent(log_ratio: float) -> str:
    change = round(100 * (2.718281828459045**log_ratio - 1))
    return "no change" if change == 0 else f"{change:+d} %".replace("-", "\N{MINUS SIGN}")


def log_times(axis: Any, values: Iterable[float]) -> None:
    """Turn an axis into a logarithmic one of times in seconds that holds some values.

    Args:
        axis: ``axes.xaxis`` or ``axes.yaxis``.
        values: Those that are not finite are left out.
    """
    found = sorted(value for value in values if isfinite(value) and value > 0) or [0.1, 1.0]
    low, high = found[0] / 1.15, found[-1] * 1.15
    scale, limits = (axis.axes.set_xscale, axis.axes.set_xlim)
    if axis is axis.axes.yaxis:
        scale, limits = (axis.axes.set_yscale, axis.axes.set_ylim)
    scale("log")
    limits(low, high)
    decades = range(int(log10(low)) - 2, int(log10(high)) + 2)
    ticks = [step * 10.0**decade for decade in decades for step in _TIMES]
    inside = [tick for tick in ticks if low <= tick <= high]
    if len(inside) > 7:
        inside = [tick for tick in inside if round(log10(tick), 6).is_integer()]
    if len(inside) < 2:
        inside = [found[0], found[-1]] if found[-1] > 1.05 * found[0] else [found[0]]
    axis.set_ticks(inside, [duration(tick) for tick in inside])
    axis.set_ticks([], minor=True)


def duration(seconds: float) -> str:
    """A time to three figures, in the unit that suits it."""
    if seconds != seconds:  # noqa: PLR0124 - NaN.
        return "not available"
    if not isfinite(seconds):
        return "infinite"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            value = seconds * factor
            return f"{value:,.{max(0, 2 - len(str(int(value))) + 1)}f}".rstrip("0").rstrip(".") + f" {unit}" if value < 100 else f"{value:,.0f} {unit}"
    return ""
