"""Quantiles of times that were counted in buckets."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from warmroute.measure.telemetry.run_telemetry import ServerTtft

if TYPE_CHECKING:
    from collections.abc import Mapping


def server_ttft(buckets: Mapping[float, float], seconds: float | None, count: float | None) -> ServerTtft | None:
    """What a histogram says of the time to first token; None where it counted nothing.

    Args:
        buckets: How many times there were up to each bound, in seconds.
        seconds: Their sum.
        count: Their number.
    """
    if not count or seconds is None:
        return None
    return ServerTtft(
        count=round(count),
        mean_seconds=seconds / count,
        p50_seconds=quantile(buckets, 0.5),
        p90_seconds=quantile(buckets, 0.9),
        p99_seconds=quantile(buckets, 0.99),
    )


def quantile(buckets: Mapping[float, float], q: float) -> float | None:
    """A quantile, interpolated within its bucket as Prometheus' ``histogram_quantile`` does.

    Args:
        buckets: How many there were up to each bound.
        q: Which, between 0 and 1.

    Returns:
        None without any, or where it lies above the highest finite bound.
    """
    bounds = sorted(buckets)
    if not bounds or buckets[bounds[-1]] <= 0:
        return None
    wanted = q * buckets[bounds[-1]]
    for (lower, below), (upper, up_to) in pairwise([(0.0, 0.0), *((bound, buckets[bound]) for bound in bounds)]):
        if up_to >= wanted and up_to > below:
            return lower + (upper - lower) * (wanted - below) / (up_to - below) if math.isfinite(upper) else None
    return None
