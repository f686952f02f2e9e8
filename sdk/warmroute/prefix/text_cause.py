"""Why two texts of a prompt differ."""

from __future__ import annotations

import unicodedata

from warmroute.prefix.cause import Cause
from warmroute.prefix.common_part import common_beginning, common_end
from warmroute.prefix.volatile_text import volatile_spans


def cause_of_texts(one: str, other: str) -> Cause:
    """Why two different texts differ, judged where they first do and, if that is short, by all that differs."""
    start = common_beginning(one, other)
    shared_end = common_end(one, other, min(len(one), len(other)) - start)
    middles = (one[start : len(one) - shared_end], other[start : len(other) - shared_end])
    is_short = max(map(len, middles)) <= _CLOSE_LOOK
    if not any(middle.strip() for middle in middles):
        return Cause.TEXT_WHITE_SPACE
    if is_short and _look_the_same(one, other, start, shared_end):
        return Cause.UNICODE_FORM
    if is_short and _lines(one, start, shared_end) == _lines(other, start, shared_end):
        return Cause.TEXT_ORDER
    if (is_short and _is_volatile_insertion(*middles)) or _is_volatile(one, start) or _is_volatile(other, start):
        return Cause.VOLATILE_TEXT
    return Cause.TEXT_CHANGE


_CLOSE_LOOK = 16_384
"""Characters that differ, above which a rewritten text is not searched for moved lines or other normal forms."""

_CONTEXT = 96
"""Characters on both sides in which a date or an id that covers the difference is searched."""


def _look_the_same(one: str, other: str, start: int, shared_end: int) -> bool:
    begin = max(start - 1, 0)  # A combining mark changes the character before it.
    forms = [unicodedata.normalize("NFC", text[begin : len(text) - shared_end]) for text in (one, other)]
    return forms[0] == forms[1]


def _lines(text: str, start: int, shared_end: int) -> list[str]:
    """The lines that differ, and those cut by the difference, sorted."""
    begin = text.rfind("\n", 0, start) + 1
    end = text.find("\n", len(text) - shared_end)
    return sorted(text[begin : len(text) if end < 0 else end].split("\n"))


def _is_volatile(text: str, start: int) -> bool:
    """Whether the first difference is inside a piece of volatile text."""
    begin = max(start - _CONTEXT, 0)
    return any(
        span.start <= start - begin < span.end
        for span in volatile_spans(text[begin : start + _CONTEXT], is_known_to_change=True)
    )


def _is_volatile_insertion(middle: str, other_middle: str) -> bool:
    """Whether only one of the texts has something here, and volatile text is in it."""
    return (not middle or not other_middle) and bool(volatile_spans(middle + other_middle, is_known_to_change=True))
