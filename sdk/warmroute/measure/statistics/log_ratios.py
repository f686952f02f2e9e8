"""The difference of two runs of a pair, as the logarithm of a ratio."""

from __future__ import annotations

from math import inf, isinf, log, nan


def log_ratio(candidate: float, baseline: float) -> float:
    """ln(candidate / baseline): equal and opposite when the arms are swapped.

    Args:
        candidate: A figure of the candidate's run, 0 to infinity.
        baseline: The same figure of the baseline's run.

    Returns:
        NaN where both are zero or both infinite: then the pair tells nothing.
    """
    if candidate == baseline and (isinf(candidate) or candidate == 0):
        return nan
    if isinf(candidate) or baseline == 0:
        return inf
    if isinf(baseline) or candidate == 0:
        return -inf
    return log(candidate) - log(baseline)
