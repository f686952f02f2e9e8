"""Axes that people read: changes in percent, times, shares of requests."""

from __future__ import annotations

from math import ceil, exp, floor, isfinite, isnan, log, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_RATIOS = (
    *(1.0, 0.5, 2.0, 0.8, 1.25, 0.9, 1.1, 0.25, 4.0, 0.95, 1.05, 0.6, 1.6, 0.7, 1.4, 0.125, 8.0, 1 / 16, 16.0),
    *(0.98, 1.02, 0.99, 1.01),
)
"""The ones that are most welcome on an axis first."""
_TIMES = (1, 2, 5)


def ratio_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Places of an axis of log ratios and their labels, "no change" always among them.

    Args:
        low: Its lower end, a log ratio below zero.
        high: Its upper end.
        most: How many have room.
    """
    gap = (high - low) / most
    chosen: list[float] = []
    for ratio in _RATIOS:
        place = log(ratio)
        if low <= place <= high and all(abs(place - other) >= gap for other in chosen):
            chosen.append(place)
    return [(place, _percent(place)) for place in sorted(chosen)]


def _percent(log_ratio: float) -> str:
    change = round(100 * (exp(log_ratio) - 1))
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
    if len(inside) < 3:
        step = nice_step((high - low) / 5)
        inside = [step * number for number in range(ceil(low / step), floor(high / step) + 1)]
    axis.set_ticks(inside, [duration(tick) for tick in inside])
    axis.set_ticks([], minor=True)


def nice_step(least: float) -> float:
    """The next step of 1, 2 or 5 times a power of ten.

    Args:
        least: Above zero.
    """
    decade = 10.0 ** floor(log10(least))
    return next(step * decade for step in (1, 2, 5, 10) if step * decade >= least * (1 - 1e-9))


def duration(seconds: float) -> str:
    """A time to three figures, in the unit that suits it."""
    if isnan(seconds):
        return "not available"
    if not isfinite(seconds):
        return "infinite"
    unit, factor = next((unit for unit in _UNITS if seconds * unit[1] >= 1), _UNITS[-1])
    value = seconds * factor
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


_UNITS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6))
