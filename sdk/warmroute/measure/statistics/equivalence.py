"""Questions with a margin: no difference that matters, not worse than allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.measure.statistics.mean import MeanEstimate


def equivalence(estimate: MeanEstimate, margin: float) -> float:
    """p-value for "the true mean lies within the margin on both sides", by two one-sided tests (Schuirmann, 1987).

    Args:
        estimate: A mean, of log ratios for one.
        margin: The largest difference that does not matter, in the unit of the mean.
    """
    return max(estimate.p_above(-margin), estimate.p_below(margin))


def non_inferiority(estimate: MeanEstimate, margin: float) -> float:
    """p-value for "the true mean is below the margin", where more is worse."""
    return estimate.p_below(margin)
