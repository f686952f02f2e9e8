"""A comparison in plain words."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from warmroute.measure.compared import GuardState

if TYPE_CHECKING:
    from warmroute.measure.compared import Compared, Guard
    from warmroute.measure.metrics import Metric

_ERRORS_INFINITE = "so many requests failed in some runs that it is infinite there"


def change(compared: Compared) -> str:
    """How the candidate's figure differs, with its interval.

    Args:
        compared: A metric of two arms.
    """
    if compared.unmeasured:
        return f"{compared.metric.label} is not known: {compared.unmeasured.reason}"
    metric, (low, high) = compared.metric, compared.interval
    if not isfinite(high):
        few = len(compared.by_pair) < 2 or all(isfinite(value) for value in compared.by_pair.values())
        reason = "too few pairs to bound it" if few else _ERRORS_INFINITE
        return f"{metric.label} cannot be compared: {reason}."
    confidence = f"{100 * (1 - compared.alpha):.3g} %"
    return (
        f"{metric.label} is {_amount(metric, compared.effect)}; {confidence} interval: {_amount(metric, low)} to "
        f"{_amount(metric, high)}, {len(compared.by_pair)} pairs."
    )


def guard_sentence(guard: Guard, allowed: float) -> str:
    """What is shown of a guard.

    Args:
        guard: The guard.
        allowed: Its margin as the criteria state it.
    """
    metric = guard.compared.metric
    limit = _amount(metric, _at_margin(metric, allowed))
    match guard.state:
        case GuardState.HOLDS:
            return f"Guard holds, {limit} allowed: {change(guard.compared)}"
        case GuardState.BROKEN:
            return f"Guard broken, {limit} allowed: {change(guard.compared)}"
        case GuardState.OPEN:
            return f"Guard not settled, {limit} allowed: {change(guard.compared)}"
        case _:
            return change(guard.compared)


def _at_margin(metric: Metric, allowed: float) -> float:
    if metric.compared_by_difference:
        return allowed
    return 1 + allowed if metric.more_is_worse else 1 - allowed


def _amount(metric: Metric, effect: float) -> str:
    """A ratio, or for errors a difference, as a change: "12.0 % shorter"."""
    if isnan(effect):
        return "unknown"
    less, more = ("shorter", "longer") if metric.is_latency else ("lower", "higher")
    size = 100 * (effect if metric.compared_by_difference else effect - 1)
    unit = "points" if metric.compared_by_difference else "%"
    shown = f"{abs(size):.1f}" if isfinite(size) else "infinitely"
    if shown == "0.0":
        return "the same"
    return f"{shown} {unit} {less if size < 0 else more}"
