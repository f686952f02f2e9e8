"""The mean over pairs of runs, with Student's t."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, inf, isfinite, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from warmroute.measure.statistics.packages import special_functions

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


class Interval(NamedTuple):
    """Where a true value lies, with the confidence asked for."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean over pairs, and how sure it is."""

    mean: float
    standard_error: float
    """Infinite where the pairs do not bound the mean: too few, or some of them infinite."""

    degrees_of_freedom: int
    standard_deviation: float
    """Of one pair."""

    def interval(self, alpha: float = 0.05) -> Interval:
        """The two-sided interval that misses the true mean with probability ``alpha``."""
        if self.standard_error == 0:
            return Interval(self.mean, self.mean)
        if not isfinite(self.standard_error):
            return Interval(-inf, inf)
        reach = float(special_functions().stdtrit(self.degrees_of_freedom, 1 - alpha / 2)) * self.standard_error
        return Interval(self.mean - reach, self.mean + reach)

    def p_below(self, bound: float) -> float:
        """One-sided p-value for "the true mean is below ``bound``"."""
        if self.standard_error == 0:
            return 0.0 if self.mean < bound else 1.0
        if not isfinite(self.standard_error):
            return 1.0
        return float(special_functions().stdtr(self.degrees_of_freedom, (self.mean - bound) / self.standard_error))

    def p_above(self, bound: float) -> float:
        """One-sided p-value for "the true mean is above ``bound``"."""
        return self.flipped().p_below(-bound)

    def flipped(self) -> MeanEstimate:
        """The estimate with the arms swapped."""
        return replace(self, mean=-self.mean)

    def p_different(self) -> float:
        """Two-sided p-value for "the true mean is not zero"."""
        return min(1.0, 2 * min(self.p_below(0.0), self.p_above(0.0)))


def mean_over_pairs(values: Sequence[float], groups: Sequence[Hashable] | None = None) -> MeanEstimate:
    """The mean of one value a pair.

    Args:
        values: One for each pair; infinite where one arm failed, NaN where both did.
        groups: For each pair, which machines served the candidate, in a cross-over; the effect of the machines then
            cancels even where the groups differ in size, and does not widen the interval.

    Returns:
        The mean of the groups' means; of two infinite values of opposite sign it is NaN.
    """
    by_group: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups or [None] * len(values), strict=True):
        by_group.setdefault(group, []).append(value)
    if not all(isfinite(value) for value in values):
        return _unbounded(values)
    means = [fsum(group) / len(group) for group in by_group.values()]
    mean = fsum(means) / len(means) if means else nan
    freedom = len(values) - len(means)
    if freedom < 1:
        return MeanEstimate(mean, inf, 0, inf)
    squares = fsum((value - m) ** 2 for m, group in zip(means, by_group.values(), strict=True) for value in group)
    deviation = sqrt(squares / freedom)
    spread = sqrt(fsum(1 / len(group) for group in by_group.values())) / len(means)
    return MeanEstimate(mean, deviation * spread, freedom, deviation)


def _unbounded(values: Sequence[float]) -> MeanEstimate:
    """Of values that are not all finite: certain only where all are the same infinity."""
    kinds = {value for value in values if not isfinite(value)}
    mean = kinds.pop() if len(kinds) == 1 else nan
    if len(values) > 1 and all(value == mean for value in values):
        return MeanEstimate(mean, 0.0, len(values) - 1, 0.0)
    return MeanEstimate(mean, inf, 0, inf)
