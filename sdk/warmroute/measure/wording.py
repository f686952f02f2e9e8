"""A comparison in plain words."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from warmroute.measure.compared import GuardState
from warmroute.wording import counted

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
        f"{metric.label} is {amount(metric, compared.effect)}; {confidence} interval: {span(metric, low, high)}; "
        f"{counted(len(compared.by_pair), 'pair')}."
    )


def guard_sentence(guard: Guard, allowed: float) -> str:
    """What is shown of a guard.

    Args:
        guard: The guard.
        allowed: Its margin as the criteria state it.
    """
    metric = guard.compared.metric
    limit = amount(metric, _at_margin(metric, allowed))
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


def amount(metric: Metric, effect: float) -> str:
    """A ratio, or for errors a difference, as a change: "12 % shorter"."""
    if isnan(effect):
        return "unknown"
    size, words = _size(metric, effect)
    return f"{size} {words}" if size != "0" else "the same"


def span(metric: Metric, low: float, high: float) -> str:
    """An interval, the smaller change first where both ends lie on one side: "12 to 15 % shorter"."""
    (one, words), (other, other_words) = _size(metric, low), _size(metric, high)
    if one == other == "0":
        return "no difference"
    if words != other_words or "0" in (one, other):
        return f"{amount(metric, low)} to {amount(metric, high)}"
    return f"{one} to {other} {words}" if low >= _no_change(metric) else f"{other} to {one} {words}"


def _size(metric: Metric, effect: float) -> tuple[str, str]:
    """How large a change is, to a tenth, and its unit and direction."""
    less, more = ("shorter", "longer") if metric.is_latency else ("lower", "higher")
    change = 100 * (effect - _no_change(metric))
    unit = "points" if metric.compared_by_difference else "%"
    return f"{round(abs(change), 1):g}", f"{unit} {less if change < 0 else more}"


def _no_change(metric: Metric) -> float:
    return 0.0 if metric.compared_by_difference else 1.0
