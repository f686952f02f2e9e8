"""Exports of Langfuse: observations, of which those of type ``GENERATION`` are model calls.

Format: ``{"id", "trace_id", "type", "start_time", "model", "input", "output", "usage_details", "session_id"}``, as its
storage export writes it, or the same in camelCase, as its API does. ``input`` may be JSON text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.bodies.answers import answer_of
from warmroute.traffic.entries.fields import count, date, first_instant, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return any({"type", trace, start} <= value.keys() for trace, start in _NAMES)


_NAMES = (("trace_id", "start_time"), ("traceId", "startTime"))


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    if value.get("type") != "GENERATION":
        raise BadEntryError("an observation that is no model call")
    arrival = first_instant(date(value, start) for _, start in _NAMES)
    usage = _plain(value, "usage_details") or _plain(value, "usageDetails") or _plain(value, "usage")
    usage = usage if isinstance(usage, dict) else {}
    yield reading.request(
        entry,
        _request(value),
        request_id=text(value, "id"),
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=text(value, "session_id", "sessionId", "trace_id", "traceId"),
        input_tokens=count(usage, "input", "prompt_tokens", "promptTokens"),
        output_tokens=count(usage, "output", "completion_tokens", "completionTokens"),
        output_characters=_characters(_plain(value, "output")),
    )


def _request(value: Mapping[str, Any]) -> dict[str, Any]:
    parameters = _plain(value, "model_parameters") or _plain(value, "modelParameters")
    model = text(value, "model", "provided_model_name", "providedModelName")
    request = {**(parameters if isinstance(parameters, dict) else {}), "model": model}
    said = _plain(value, "input")
    if isinstance(said, dict):
        return {**request, **said} if not {"messages", "prompt"}.isdisjoint(said) else {**request, "messages": [said]}
    if isinstance(said, list):
        return {**request, "messages": said}
    return {**request, "prompt": said} if isinstance(said, str) else request


def _plain(value: Mapping[str, Any], name: str) -> Any:
    """A field, read as JSON where it is such a text."""
    found = value.get(name)
    if isinstance(found, str) and found.lstrip()[:1] in ("{", "["):
        try:
            return orjson.loads(found)
        except orjson.JSONDecodeError:
            return found
    return found


def _characters(output: object) -> int | None:
    if isinstance(output, str):
        return len(output)
    if isinstance(output, dict):
        return answer_of(output).output_characters or answer_of({"choices": [{"message": output}]}).output_characters
    return None


READER = Reader(_recognises, _read, "type, trace_id and start_time (Langfuse)", ids_are_unique="everywhere")
