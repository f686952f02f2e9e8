"""OpenTelemetry spans of GenAI calls: as a list of ``spans``, in OTLP's JSON, or one span an object.

Read are the attributes of the semantic conventions, ``gen_ai.input.messages`` above all, as JSON text or as values, in
the chat API's form or with ``parts``; and the older names of usage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import Instant, count, date, first_instant, seconds, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.otel_spans import is_span, messages_of, spans_of, value_of
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

_GENERATES = ("chat", "text_completion", "generate_content", "")
"""Operations that generate text; empty where none is told."""


def _recognises(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(name), list) for name in ("spans", "resourceSpans", "scopeSpans")) or is_span(value)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    spans = list(spans_of(entry.value))
    if not spans:
        raise BadEntryError("no span in it")
    for span, attributes in spans:
        try:
            found = _of_span(entry, reading, span, attributes)
        except BadEntryError as error:  # The other spans of the entry are read all the same.
            reading.rejects.reject(entry.source, entry.line, error.reason)
        else:
            yield found


def _of_span(entry: Entry, reading: Reading, span: Mapping[str, Any], attributes: Mapping[str, Any]) -> TrafficRequest:
    messages = messages_of(value_of(attributes, "gen_ai.input.messages"))
    input_tokens = count(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
    if text(attributes, "gen_ai.operation.name") not in _GENERATES or (messages is None and input_tokens is None):
        raise BadEntryError("a span that is no model call")
    arrival = _start(span)
    trace, name = text(span, "trace_id", "traceId"), text(span, "span_id", "spanId")
    return reading.request(
        entry,
        _request(attributes, messages),
        request_id=f"{trace}/{name}" if trace or name else "",
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        session=_session(attributes) or trace,
        input_tokens=input_tokens,
        output_tokens=count(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        output_characters=_characters(attributes),
    )


def _request(attributes: Mapping[str, Any], messages: list[Any] | None) -> dict[str, Any]:
    request: dict[str, Any] = {"model": text(attributes, "gen_ai.request.model")}
    if messages is not None:
        told = value_of(attributes, "gen_ai.system_instructions")
        system = messages_of([{"role": "system", "parts": told}]) if told else []
        request["messages"] = (system or []) + messages
    tools = value_of(attributes, "gen_ai.tool.definitions")
    return {**request, "tools": tools} if tools else request


def _start(span: Mapping[str, Any]) -> Instant:
    nanoseconds = seconds(span, "startTimeUnixNano", per_second=1_000_000_000)
    return first_instant((nanoseconds, date(span, "start_time"), date(span, "startTime")))


def _session(attributes: Mapping[str, Any]) -> str:
    named = (name for name in attributes if name.endswith(".session.id"))
    return text(attributes, "gen_ai.conversation.id", "session.id", *named)


def _characters(attributes: Mapping[str, Any]) -> int | None:
    said = attributes.get("gen_ai.output.text")
    if isinstance(said, str):
        return len(said)
    messages = messages_of(value_of(attributes, "gen_ai.output.messages"))
    if messages is None:
        return None
    parts = [part for message in messages for part in message.get("content") or [] if isinstance(message, dict)]
    return sum(len(text(part, "text")) if isinstance(part, dict) else len(str(part)) for part in parts)


READER = Reader(
    _recognises, _read, "spans, resourceSpans or gen_ai attributes (OpenTelemetry)", ids_are_unique="everywhere"
)
