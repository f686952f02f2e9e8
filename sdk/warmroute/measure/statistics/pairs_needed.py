"""How many pairs of runs a difference needs to be seen."""

from __future__ import annotations

from math import isfinite, log, sqrt
from statistics import stdev
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.measure.statistics.packages import special_functions

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PAIRS = 1_000
"""More than anybody runs; asked for more, the answer is None."""

_CERTAIN = 30.0
"""Noncentrality from which the power is 1 for our purpose; the series of the noncentral t ends a little above."""


def pairs_needed(standard_deviation: float, distance: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Pairs with which a two-sided t test sees a difference.

    Args:
        standard_deviation: Of the log ratio of one pair.
        distance: The true mean's distance from the value to exclude, on the same scale.
        alpha: Chance of seeing a difference that is not there.
        power: Chance of seeing this one.

    Returns:
        The least number, from 2, by the noncentral t distribution; None beyond ``MOST_PAIRS``.
    """
    if not (isfinite(standard_deviation) and distance > 0):
        return None
    for pairs in range(2, MOST_PAIRS + 1):
        if standard_deviation == 0 or _power(pairs, distance / standard_deviation, alpha) >= power:
            return pairs
    return None


def pairs_for_reduction(
    run_deviation: float, reduction: float, *, beyond: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Pairs that show a reduction, from the noise between runs of one and the same arm.

    Args:
        run_deviation: Standard deviation of the logarithm of a run's quantile, from ``run_noise``.
        reduction: 0.1 for a quantile that becomes 10 % shorter.
        beyond: The reduction that it has to be shown to exceed: a comparison's minimum effect.
        alpha: Chance of seeing a difference that is not there.
        power: Chance of showing it.

    Returns:
        The number; None beyond ``MOST_PAIRS``.
    """
    return pairs_needed(run_deviation * sqrt(2), log(1 - beyond) - log(1 - reduction), alpha=alpha, power=power)


def run_noise(quantiles: Sequence[float]) -> float:
    """Standard deviation of the logarithm of one figure over runs of the same arm (A/A).

    Raises:
        WarmrouteError: Fewer than two runs, or one whose figure is infinite because too many of its requests failed.
    """
    if len(quantiles) < 2:
        raise WarmrouteError(f"The noise between runs needs two runs; there are {len(quantiles)}.", "Run A/A again.")
    if not all(isfinite(value) and value > 0 for value in quantiles):
        raise WarmrouteError("Too many requests of an A/A run failed to tell its noise.", "Lower the load.")
    return stdev(log(value) for value in quantiles)


def _power(pairs: int, effect: float, alpha: float) -> float:
    special = special_functions()
    noncentrality = effect * sqrt(pairs)
    if noncentrality > _CERTAIN:
        return 1.0
    critical = special.stdtrit(pairs - 1, 1 - alpha / 2)
    return float(
        1 - special.nctdtr(pairs - 1, noncentrality, critical) + special.nctdtr(pairs - 1, noncentrality, -critical)
    )
