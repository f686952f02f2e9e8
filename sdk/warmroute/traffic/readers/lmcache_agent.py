"""LMCache's agent trace: model calls of agents with their whole prompt, by session.

Format: ``{"timestamp": microseconds since 1970, "input", "output", "session_id"}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import seconds, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return {"timestamp", "input", "output", "session_id"} <= value.keys()


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    prompt, answer = entry.value.get("input"), entry.value.get("output")
    if not isinstance(prompt, str):
        raise BadEntryError("input is not a text")
    arrival = seconds(entry.value, "timestamp", per_second=1_000_000)
    yield reading.request(
        entry,
        {"prompt": prompt},
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=text(entry.value, "session_id"),
        output_characters=len(answer) if isinstance(answer, str) else None,
    )


READER = Reader(_recognises, _read, "timestamp, input, output and session_id (LMCache agent trace)")
