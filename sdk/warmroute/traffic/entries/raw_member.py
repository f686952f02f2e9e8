"""The text of a member of a JSON object, as it is written there."""

from __future__ import annotations

import json


def raw_member(data: bytes, name: str) -> bytes | None:
    """The text of a member, which a parser would rewrite: it drops duplicate keys, for one.

    Args:
        data: A JSON object that orjson reads.
        name: A key of it; the last one counts, as it does for orjson.

    Returns:
        JSON, or None where it is nested deeper than Python reads.
    """
    text = data.decode()
    decoder = json.JSONDecoder()
    found = ""
    try:
        at = _behind_marks(text, text.index("{") + 1)
        while text[at] != "}":
            key, at = decoder.raw_decode(text, at)
            start = _behind_marks(text, at)
            _, end = decoder.raw_decode(text, start)
            if key == name:
                found = text[start:end]
            at = _behind_marks(text, end)
    except RecursionError:
        return None
    return found.encode()


def _behind_marks(text: str, at: int) -> int:
    while text[at] in " \t\r\n:,":
        at += 1
    return at
