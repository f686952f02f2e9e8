"""How a quantile would vary within one run: it says nothing about the next run."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from warmroute.measure.statistics.mean import Interval
from warmroute.measure.statistics.packages import numpy
from warmroute.measure.statistics.quantiles import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class WithinRunInterval:
    """An interval for a quantile of one run; two of them must not be compared, since runs differ by more."""

    interval: Interval
    block_length: int
    """Requests resampled together."""

    scope: str = "this run only"


def within_run_interval(
    latencies: Sequence[float], probability: float, *, alpha: float = 0.05, resamples: int = 500, seed: int = 0
) -> WithinRunInterval:
    """An interval by the circular block bootstrap (Politis and Romano, 1992).

    Args:
        latencies: In order of the planned times, infinite for failed requests.
        probability: 0.9 for P90.
        alpha: Chance of missing.
        resamples: How often to draw a run from the run.
        seed: Of the drawing.

    Raises:
        TooFewRequestsError: The quantile cannot be told of so few.
    """
    np = numpy()
    values = np.asarray(latencies, dtype=float)
    quantile(values, probability)
    length = _block_length(values)
    blocks, random = ceil(len(values) / length), np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        starts = random.integers(len(values), size=(blocks, 1))
        places = ((starts + np.arange(length)) % len(values)).ravel()[: len(values)]
        drawn.append(quantile(values[places], probability))
    ends = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return WithinRunInterval(Interval(float(ends[0]), float(ends[1])), length)


def _block_length(values: Any) -> int:
    """The length that Politis and White (2004) give for an autoregression with the values' lag-1 correlation."""
    np = numpy()
    ranks = np.argsort(np.argsort(values)).astype(float)
    before, after = ranks[:-1] - ranks.mean(), ranks[1:] - ranks.mean()
    variance = ranks.var()
    rho = min(0.99, max(0.0, float((before * after).mean() / variance))) if variance else 0.0
    length: int = ceil((1.5 * (2 * rho / (1 - rho**2)) ** 2 * len(values)) ** (1 / 3))
    return min(len(values), max(1, length))
