"""Quantiles of the latencies of one run, failed requests among them."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, inf, log
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.statistics.packages import numpy, special_functions

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEGLIGIBLE_WEIGHT = 1e-4
"""Failed requests make a quantile infinite when they carry more of it than this."""


class TooFewRequestsError(WarmrouteError):
    """A quantile of fewer requests than say anything about it.

    Args:
        probability: 0.99 for P99.
        requests: How many there are.
    """

    def __init__(self, probability: float, requests: int) -> None:
        self.probability, self.requests, self.needed = probability, requests, requests_needed(probability)
        super().__init__(
            f"P{100 * probability:g} of {requests:,} requests is not told: it needs {self.needed:,}.",
            "Replay a longer part of the trace.",
        )

    def __reduce__(self) -> tuple[type[TooFewRequestsError], tuple[float, int]]:
        """Rebuilt from what it was made of, so that it survives a process boundary."""
        return type(self), (self.probability, self.requests)


def quantile(latencies: Sequence[float], probability: float) -> float:
    """The latency that a share of the requests stays below, by the estimator of Harrell and Davis (1982).

    Args:
        latencies: One for each request, infinite for one that failed; a NumPy array or a sequence.
        probability: 0.9 for P90.

    Returns:
        The estimate; infinite where failed requests reach it. Where they are too far above it to matter, they count as
        the longest latency that was measured.

    Raises:
        TooFewRequestsError: Fewer than ``requests_needed``.
    """
    np = numpy()
    ordered = np.sort(np.asarray(latencies, dtype=float))
    if len(ordered) < requests_needed(probability):
        raise TooFewRequestsError(probability, len(ordered))
    weights = _weights(len(ordered), probability)
    answered = int(np.searchsorted(ordered, inf))
    if answered < len(ordered):
        if weights[answered:].sum() > _NEGLIGIBLE_WEIGHT:
            return inf
        ordered[answered:] = ordered[answered - 1]
    return float(weights @ ordered)


def requests_needed(probability: float, confidence: float = 0.95) -> int:
    """The fewest requests whose longest latency bounds a quantile from above, whatever the distribution.

    A distribution-free interval of P99 has a finite end only from 368 requests, of P99.9 from 3,688: below that the
    estimate rests on the longest one or two.
    """
    tail = (1 - confidence) / 2
    return ceil(log(tail) / log(max(probability, 1 - probability)))


@lru_cache(maxsize=64)
def _weights(count: int, probability: float) -> Any:
    """How much each of so many ordered values counts."""
    edges = numpy().linspace(0.0, 1.0, count + 1)
    a, b = (count + 1) * probability, (count + 1) * (1 - probability)
    return numpy().diff(special_functions().betainc(a, b, edges))
