"""SageMaker Data Capture: one captured call a line, its input and output as texts.

Format: ``{"captureData": {"endpointInput": {"data", "encoding"}, "endpointOutput": {…}}, "eventMetadata": {"eventId",
"inferenceTime"}}``; ``encoding`` is ``JSON`` or ``CSV``, for text as it was sent, or ``BASE64``.

The files hold no API, no session and no sampling percentage. Lines are written as calls end.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.bodies.answers import UNKNOWN, Answer, read_answer
from warmroute.traffic.entries.fields import date, mapping, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.follow_ups import watch
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return "captureData" in value


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    captured, event = mapping(entry.value, "captureData"), mapping(entry.value, "eventMetadata")
    body = _data(mapping(captured, "endpointInput"))
    if body is None:
        raise BadEntryError("no input was captured")
    request = _json_object(body)
    arrival = date(event, "inferenceTime")
    answer = _answer(entry, mapping(captured, "endpointOutput"), reading)
    found = reading.request(
        entry,
        request,
        body=body,
        request_id=text(event, "eventId"),
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        output_characters=answer.output_characters,
    )
    if found.text is None:
        reading.rejects.note(entry.source, entry.line, "the body has no text that could be told")
    watch(request, reading)
    yield found


def _answer(entry: Entry, output: Mapping[str, Any], reading: Reading) -> Answer:
    try:
        data = _data(output)
    except BadEntryError:
        data = b""
    answer = read_answer(data) if data else UNKNOWN
    if data is not None and answer == UNKNOWN:
        reading.rejects.note(entry.source, entry.line, "the answer could not be read")
    return answer


def _data(part: Mapping[str, Any]) -> bytes | None:
    """What was captured, to the byte."""
    data = part.get("data")
    if data is None:
        return None
    if not isinstance(data, str):
        raise BadEntryError("captured data are not a text")
    if part.get("encoding") != "BASE64":
        return data.encode()
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise BadEntryError("captured data are not in base64") from None


def _json_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


READER = Reader(
    _recognises, _read, "captureData (SageMaker Data Capture)", ids_are_unique="everywhere", by_completion=True
)
