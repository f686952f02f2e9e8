"""Puts requests in order that are nearly so, with bounded memory."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.traffic.record import TrafficRequest

WINDOW_BYTES = 1 << 26
_RECORD_BYTES = 1_000
"""What a request takes besides its body and text, roughly."""


def nearly_ordered(requests: Iterable[TrafficRequest], *, window_bytes: int = WINDOW_BYTES) -> Iterator[TrafficRequest]:
    """Requests by arrival, those of the same time as they came, as far as the window reaches.

    Args:
        requests: One without an arrival stays behind the one before it.
        window_bytes: How much may be held, in bytes of bodies and characters of texts.
    """
    held: list[tuple[float, int, TrafficRequest]] = []
    size, latest = 0, 0.0
    for position, request in enumerate(requests):
        latest = latest if request.arrival_seconds is None else request.arrival_seconds
        heapq.heappush(held, (latest, position, request))
        size += _size(request)
        while size > window_bytes:
            _, _, first = heapq.heappop(held)
            size -= _size(first)
            yield first
    while held:
        yield heapq.heappop(held)[2]


def _size(request: TrafficRequest) -> int:
    return len(request.body or b"") + len(request.text or "") + _RECORD_BYTES
