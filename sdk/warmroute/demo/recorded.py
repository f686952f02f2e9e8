"""Chat requests of a recorded trace, to be sent by the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.demo.interleaving import interleaved
from warmroute.traffic import TrafficError, read_traffic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warmroute.traffic import TrafficRequest


def recorded_requests(trace: str | Path, count: int) -> list[TrafficRequest]:
    """The first conversations of a trace, side by side; each request with a body in canonical form.

    Args:
        trace: A file of any format that holds messages.
        count: Requests wanted; fewer where the trace has no more.

    Raises:
        TrafficError: The trace cannot be read, or holds no messages.
    """
    chosen = interleaved(_with_messages(trace), count)
    if not chosen:
        raise TrafficError(f"{trace}: no request holds messages.", "Give a trace of chat requests with their texts.")
    return chosen


def _with_messages(trace: str | Path) -> Iterator[TrafficRequest]:
    for request in read_traffic(trace, bodies="canonical"):
        if request.body is not None and b'"messages":' in request.body:
            yield request
