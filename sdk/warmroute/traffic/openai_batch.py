"""Requests in the lines of OpenAI's batch format."""

from __future__ import annotations

import json

import orjson


def request_body(line: bytes) -> bytes:
    """The request in a line of a batch, as it is written there; any other line as it is.

    Args:
        line: One line of a file: a line of a batch, with ``custom_id`` and ``body``, or a request.
    """
    try:
        value = orjson.loads(line)
        is_batch = isinstance(value, dict) and {"custom_id", "body"} <= value.keys() and isinstance(value["body"], dict)
        return _text_of_member(line.decode(), "body").encode() if is_batch else line
    except (orjson.JSONDecodeError, RecursionError):  # Not JSON, or nested deeper than any request may be.
        return line


def _text_of_member(text: str, name: str) -> str:
    """The text of a member of a JSON object, which a parser would rewrite: it drops duplicate keys, for one."""
    decoder = json.JSONDecoder()
    found = ""
    at = _behind_marks(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        start = _behind_marks(text, at)
        _, end = decoder.raw_decode(text, start)
        if key == name:
            found = text[start:end]
        at = _behind_marks(text, end)
    return found


def _behind_marks(text: str, at: int) -> int:
    while text[at] in " \t\r\n:,":
        at += 1
    return at
