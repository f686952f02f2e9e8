"""How much a typical request gains: a description, never a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.measure.statistics.packages import numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEPT = 2_000
"""Of more differences, so many evenly spaced ones stand for all: the shift is the median of all their mean pairs."""


def typical_shift(candidate: Sequence[float], baseline: Sequence[float]) -> float:
    """The shift of the logarithm of latency between the same requests of two runs (Hodges and Lehmann, 1963).

    Requests of a run wait for each other, so this says how large the shift is and nothing about how sure it is.

    Args:
        candidate: Latencies by place in the trace, infinite for failed requests.
        baseline: The same requests' latencies in the other run.

    Returns:
        The median of the means of any two differences; NaN without requests. A request that failed in both runs counts
        as no difference.
    """
    np = numpy()
    after, before = np.asarray(candidate, dtype=float), np.asarray(baseline, dtype=float)
    both_failed = np.isinf(after) & np.isinf(before)
    with np.errstate(invalid="ignore"):
        differences = np.sort(np.where(both_failed, 0.0, np.log(after) - np.log(before)))
    if len(differences) == 0:
        return float("nan")
    return float(np.median(_mean_pairs(_evenly(differences))))


def _evenly(ordered: Any) -> Any:
    np = numpy()
    if len(ordered) <= _KEPT:
        return ordered
    return ordered[np.round(np.linspace(0, len(ordered) - 1, _KEPT)).astype(int)]


def _mean_pairs(values: Any) -> Any:
    np = numpy()
    rows, columns = np.triu_indices(len(values))
    with np.errstate(invalid="ignore"):
        means = (values[rows] + values[columns]) / 2
    return np.where(np.isnan(means), 0.0, means)
