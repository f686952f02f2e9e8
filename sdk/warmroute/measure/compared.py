"""One metric of two arms over all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import exp, inf
from typing import TYPE_CHECKING

from warmroute.measure.metrics import Figures, Metric, Unmeasured
from warmroute.measure.statistics import (
    Interval,
    MeanEstimate,
    equivalence,
    log_ratio,
    mean_over_pairs,
    non_inferiority,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warmroute.measure.pairing import Pairing
    from warmroute.measure.summary import RunSummary

_LARGEST_EXPONENT = 700.0
_NOTHING = Unmeasured("No pair has it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A metric of the candidate against the baseline's."""

    metric: Metric
    by_pair: Mapping[int, float]
    """For each pair the log ratio, candidate over baseline; for errors the difference of their shares."""

    estimate: MeanEstimate
    """The mean over pairs, on the same scale."""

    alpha: float
    unmeasured: Unmeasured | None = None
    """Why there is no figure; the estimate is then unbounded."""

    p_adjusted: float | None = None
    """Two-sided p-value of a difference, after Holm; None for a metric that was not part of a family."""

    @property
    def harm(self) -> MeanEstimate:
        """The estimate, turned so that above zero means that the candidate is worse."""
        return self.estimate if self.metric.more_is_worse else self.estimate.flipped()

    @property
    def effect(self) -> float:
        """The ratio candidate over baseline; for errors the difference of their shares."""
        return self._shown(self.estimate.mean)

    @property
    def interval(self) -> Interval:
        """Where the true effect lies, with confidence 1 - ``alpha``."""
        low, high = self.estimate.interval(self.alpha)
        return Interval(self._shown(low), self._shown(high))

    def better_than(self, margin: float) -> bool:
        """Whether the candidate is shown to be better by more than a margin, on the scale of ``estimate``."""
        return self.harm.p_below(-margin) <= self.alpha / 2

    @property
    def worse(self) -> bool:
        """Whether the candidate is shown to be worse."""
        return self.harm.p_above(0.0) <= self.alpha / 2

    def equivalent(self, margin: float) -> bool:
        """Whether a difference as large as a margin is excluded on both sides."""
        return equivalence(self.estimate, margin) <= self.alpha

    def _shown(self, value: float) -> float:
        if self.metric.compared_by_difference:
            return value
        return inf if value > _LARGEST_EXPONENT else exp(value)


class GuardState(StrEnum):
    """Whether a figure that must not become worse did."""

    HOLDS = "holds"
    """Shown to be no worse than allowed."""

    BROKEN = "broken"
    """Shown to be worse than allowed."""

    OPEN = "open"
    """Neither is shown."""

    TOO_FEW_REQUESTS = "too few requests"
    """The runs are too short to tell the figure."""

    NOT_AVAILABLE = "not available"
    """The endpoint does not tell the figure, so it guards nothing."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A figure that must not become worse than a margin."""

    compared: Compared
    margin: float
    """On the scale of ``compared.estimate``."""

    @property
    def state(self) -> GuardState:
        """What is shown of it."""
        compared = self.compared
        if compared.unmeasured:
            too_few = compared.unmeasured.too_few_requests
            return GuardState.TOO_FEW_REQUESTS if too_few else GuardState.NOT_AVAILABLE
        if non_inferiority(compared.harm, self.margin) <= compared.alpha / 2:
            return GuardState.HOLDS
        return GuardState.BROKEN if compared.harm.p_above(self.margin) <= compared.alpha / 2 else GuardState.OPEN


def steady(run: RunSummary) -> Figures:
    """The figures by which arms are judged."""
    return run.steady


def compare(
    pairing: Pairing, metric: Metric, alpha: float, part: Callable[[RunSummary], Figures | None] = steady
) -> Compared:
    """A metric over all pairs.

    Args:
        pairing: The valid pairs.
        metric: What to compare.
        alpha: Chance that the interval misses.
        part: The figures of a run to take, a segment's for one; None where the run has none.
    """
    by_pair: dict[int, float] = {}
    unmeasured = None if pairing.pairs else _NOTHING
    for pair in pairing.pairs:
        candidate, baseline = ((part(run) or {}).get(metric, _NOTHING) for run in (pair.candidate, pair.baseline))
        if isinstance(candidate, Unmeasured):
            unmeasured = candidate
        elif isinstance(baseline, Unmeasured):
            unmeasured = baseline
        elif metric.compared_by_difference:
            by_pair[pair.number] = candidate - baseline
        else:
            by_pair[pair.number] = log_ratio(candidate, baseline)
    if unmeasured:
        return Compared(metric=metric, by_pair={}, estimate=mean_over_pairs([]), alpha=alpha, unmeasured=unmeasured)
    estimate = mean_over_pairs(list(by_pair.values()), pairing.groups)
    return Compared(metric=metric, by_pair=by_pair, estimate=estimate, alpha=alpha)
