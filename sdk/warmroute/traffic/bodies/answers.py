"""What an answer tells of a request: how many tokens went in and came out, and how long its text is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from warmroute.traffic.entries.fields import count, listed, mapping
from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Answer(NamedTuple):
    """What is known of an answer."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    output_characters: int | None = None


UNKNOWN = Answer()


def read_answer(data: bytes) -> Answer:
    """What the bytes of a response tell: JSON, or server-sent events with or without a chunk of usage.

    Whatever else the bytes are, nothing is known of the answer; that is no fault of the request.
    """
    value = _json(data)
    if value is not None:
        return answer_of(value)
    chunks = [_json(line.strip()[5:]) for line in data.splitlines() if line.lstrip().startswith(b"data:")]
    chunks = [chunk for chunk in chunks if isinstance(chunk, dict)]
    if not chunks:
        return UNKNOWN
    told = [answer_of(chunk) for chunk in chunks]
    return Answer(
        _last(answer.input_tokens for answer in told),
        _last(answer.output_tokens for answer in told),
        sum(answer.output_characters or 0 for answer in told) if any(map(_has_text, told)) else None,
    )


def answer_of(value: object) -> Answer:
    """What a response tells, as far as its shape is known: of the chat, completions or messages API, TGI or DJL."""
    if isinstance(value, list) and value:
        value = value[0]  # TGI and DJL answer with a list of one.
    if not isinstance(value, dict):
        return UNKNOWN
    usage = mapping(value, "usage")
    try:
        tokens_in = count(usage, "prompt_tokens", "input_tokens", "inputTokens")
        tokens_out = count(usage, "completion_tokens", "output_tokens", "outputTokens")
    except BadEntryError:
        tokens_in = tokens_out = None
    return Answer(tokens_in, tokens_out, _characters(value))


def _characters(value: Mapping[str, Any]) -> int | None:
    choices = [choice for choice in listed(value, "choices") if isinstance(choice, dict)]
    if choices:
        said = [mapping(choice, "message") or mapping(choice, "delta") or choice for choice in choices]
        return sum(_length(each.get("content", each.get("text"))) + _calls(each) for each in said)
    if isinstance(value.get("generated_text"), str):
        return len(value["generated_text"])
    content = value.get("content") or mapping(mapping(value, "output"), "message").get("content")
    return _length(content) if content else None


def _length(content: object) -> int:
    if isinstance(content, list):
        return sum(_length(part.get("text")) for part in content if isinstance(part, dict))
    return len(content) if isinstance(content, str) else 0


def _calls(message: Mapping[str, Any]) -> int:
    return len(orjson.dumps(message["tool_calls"])) if message.get("tool_calls") else 0


def _json(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _last(numbers: Iterable[int | None]) -> int | None:
    return next((number for number in reversed(list(numbers)) if number is not None), None)


def _has_text(answer: Answer) -> bool:
    return answer.output_characters is not None
