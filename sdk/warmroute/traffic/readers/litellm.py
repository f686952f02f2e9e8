"""Logs of LiteLLM: its StandardLoggingPayload, one call an object.

Format: ``{"id", "trace_id", "call_type", "startTime", "model", "messages", "model_parameters", "prompt_tokens",
"completion_tokens", "response", …}``; times in seconds since 1970 or as dates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.answers import answer_of
from warmroute.traffic.entries.fields import count, mapping, seconds_or_date, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

_REDACTED = "redacted-by-litellm"


def _recognises(value: Mapping[str, Any]) -> bool:
    return "startTime" in value and not {"call_type", "model_parameters", "model_group"}.isdisjoint(value)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    call_type = text(value, "call_type")
    if call_type and not any(name in call_type for name in ("completion", "messages", "responses")):
        raise BadEntryError("a call that generates no text")
    if value.get("cache_hit") in (True, "True", "true"):
        raise BadEntryError("answered from the proxy's own cache, not by a model")
    arrival = seconds_or_date(value, "startTime")
    yield reading.request(
        entry,
        _request(entry, reading),
        request_id=text(value, "id"),
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=text(mapping(value, "metadata"), "session_id") or text(value, "session_id", "trace_id"),
        input_tokens=count(value, "prompt_tokens"),
        output_tokens=count(value, "completion_tokens"),
        output_characters=answer_of(value.get("response")).output_characters,
    )


def _request(entry: Entry, reading: Reading) -> dict[str, Any]:
    value = entry.value
    request = {**mapping(value, "model_parameters"), "model": text(value, "model")}
    said = value.get("messages")
    said = said["messages"] if isinstance(said, dict) and "messages" in said else said
    if said == _REDACTED or (isinstance(said, list) and said and all(map(_is_redacted, said))):
        reading.rejects.note(entry.source, entry.line, "messages are redacted")
    elif isinstance(said, list):
        request["messages"] = said
    elif isinstance(said, str):
        request["prompt"] = said
    return request


def _is_redacted(message: object) -> bool:
    return isinstance(message, dict) and message.get("content") == _REDACTED


READER = Reader(
    _recognises, _read, "startTime with call_type or model_parameters (LiteLLM)", ids_are_unique="everywhere"
)
