"""Request bodies, one a line: of the chat or completions API, or native ones of TGI and DJL.

Format: the body itself, or ``{"body": {…}, "timestamp", "session_id"}``. ``timestamp`` is in seconds since 1970, or a
date. A ``timestamp`` within the body is read too, but then the body as it was sent is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import count, seconds_or_date, text
from warmroute.traffic.entries.raw_member import raw_member
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

_PROMPTS = ("messages", "prompt", "inputs", "input")


def _recognises(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("body"), dict):
        return "custom_id" not in value
    if isinstance(value.get("messages"), list):
        return "timestamp" not in value or _is_time(value["timestamp"])
    return isinstance(value.get("prompt", value.get("inputs")), str)


def _is_time(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, (int, float)) and value >= 1_000_000_000)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    body: bytes | None
    if isinstance(value.get("body"), dict):
        request, body = value["body"], raw_member(entry.data, "body")
    elif "timestamp" in value:
        request, body = {name: field for name, field in value.items() if name != "timestamp"}, None
    else:
        request, body = value, entry.data
    if not any(request.get(name) for name in _PROMPTS):
        raise BadEntryError("no messages, prompt or inputs")
    arrival = seconds_or_date(value, "timestamp")
    yield reading.request(
        entry,
        request,
        body=body,
        request_id=text(value, "request_id"),
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=text(value, "session_id", "session"),
        turn=count(value, "turn"),
        output_tokens=count(value, "output_tokens"),
    )


READER = Reader(_recognises, _read, "messages, prompt or inputs, or a body that holds them (chat)")
