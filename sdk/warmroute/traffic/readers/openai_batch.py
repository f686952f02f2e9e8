"""OpenAI's batch format: a request a line, and in files of their own the answers.

Input: ``{"custom_id", "method", "url", "body"}``. Output: ``{"id", "custom_id", "response": {"status_code", "body"},
"error"}``, which holds no prompt; its token counts are joined to the input that is read with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.bodies.answers import UNKNOWN, Answer, answer_of
from warmroute.traffic.entries.fields import mapping, text
from warmroute.traffic.entries.raw_member import raw_member
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import BatchAnswer, Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def request_body(line: bytes) -> bytes:
    """The request in a line of a batch, as it is written there; any other line as it is.

    Args:
        line: One line of a file: a line of a batch, with ``custom_id`` and ``body``, or a request.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    return (raw_member(line, "body") if isinstance(value, dict) and _is_input(value) else None) or line


def is_output(value: Mapping[str, Any]) -> bool:
    """Whether an entry is a line of a batch's output."""
    return "custom_id" in value and isinstance(value.get("response"), (dict, type(None))) and "response" in value


def _answer(value: Mapping[str, Any]) -> Answer:
    return answer_of(mapping(mapping(value, "response"), "body"))


def _is_input(value: Mapping[str, Any]) -> bool:
    return "custom_id" in value and isinstance(value.get("body"), dict)


def _recognises(value: Mapping[str, Any]) -> bool:
    return _is_input(value) or is_output(value)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    name, request = text(entry.value, "custom_id"), mapping(entry.value, "body")
    if is_output(entry.value):
        if name in reading.answers:
            raise BadEntryError("an id met before")
        reading.answers[name] = BatchAnswer(entry.source, entry.line, _answer(entry.value))
        return
    if not request:
        raise BadEntryError("neither body nor response")
    told = reading.answers.pop(name, None)
    answer = told.answer if told else UNKNOWN
    yield reading.request(
        entry,
        request,
        body=raw_member(entry.data, "body"),
        request_id=name,
        api="openai" if "/v1/" in text(entry.value, "url") else None,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        output_characters=answer.output_characters,
    )


READER = Reader(_recognises, _read, "custom_id with body or response (OpenAI batch)", ids_are_unique="in their file")
