"""Times that are counted in buckets, and the latest of them as they are."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from itertools import accumulate

BUCKETS = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0),
    *(2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0),
)
"""Upper bounds in seconds. Source: vLLM ``vllm/v1/metrics/loggers.py``, ``vllm:time_to_first_token_seconds``."""

KEPT = 512
"""So many of the latest times are kept."""


class LatencyHistogram:
    """Times in seconds."""

    def __init__(self) -> None:
        self.sum = 0.0
        self._counts = [0] * (len(BUCKETS) + 1)
        self._latest: deque[tuple[float, float]] = deque(maxlen=KEPT)

    def observe(self, began: float, now: float) -> None:
        """Count one.

        Args:
            began: When it began, by `time.monotonic`.
            now: When it was over.
        """
        seconds = now - began
        self.sum += seconds
        self._counts[bisect_left(BUCKETS, seconds)] += 1
        self._latest.append((now, seconds))

    def cumulative(self) -> list[int]:
        """How many there were up to each bound, and in all."""
        return list(accumulate(self._counts))

    def latest(self, within_seconds: float) -> list[float]:
        """Those of the time that has just passed, as far as they are kept."""
        since = time.monotonic() - within_seconds
        return [seconds for at, seconds in self._latest if at >= since]
