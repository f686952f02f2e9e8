"""What in a text probably changes from call to call: dates, times, ids, counters, temporary paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from warmroute.prefix.volatile_dates import BARE_CLOCK, BASIC_DATE, DATES, OTHER_CLOCK, TODAY, with_clock
from warmroute.prefix.volatile_doubt import is_fixed
from warmroute.prefix.volatile_ids import BEFORE_DATES, BEHIND_DATES, HEX_IDS
from warmroute.prefix.volatile_kind import VolatileKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Span(NamedTuple):
    """A piece of volatile text."""

    start: int
    end: int
    kind: VolatileKind


def volatile_spans(text: str, *, is_known_to_change: bool = False) -> list[Span]:
    """The volatile pieces of a text, in order, without overlaps: of two that overlap, the more telling kind.

    Args:
        text: Any text.
        is_known_to_change: Whether the text was seen to change; then what looks fixed, as in an example, counts too.
    """
    found: list[Span] = []
    taken = bytearray(len(text))
    has_hex_id = _HEX_ID in text.encode(errors="replace").translate(_HEX_DIGITS)
    patterns = (*_PATTERNS, *_HEX_PATTERNS) if has_hex_id else _PATTERNS
    for region in _around(_ANY_SIGN, text, 0, len(text)):
        for kind, sign, pattern in patterns:
            for stretch in _around(sign, text, *region):
                for match in pattern.finditer(text, *stretch):
                    # A group of this name is the volatile part of what the pattern recognises.
                    start, end = match.span("id" if match.lastgroup == "id" else 0)
                    if taken.find(1, start, end) < 0:
                        taken[start:end] = b"\1" * (end - start)
                        seen = VolatileKind.TIME if match.lastgroup == "clock" else kind
                        if is_known_to_change or not is_fixed(text, start, end, seen):
                            found.append(Span(start, end, seen))
    return sorted(found)


def _around(sign: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of text around each match of a sign; patterns cost so much more that they run only there."""
    begin = stop = -1
    for match in sign.finditer(text, start, end):
        if begin >= 0 and match.start() - _REACH > stop:
            yield begin, stop
            begin = -1
        if begin < 0:
            begin = max(match.start() - _REACH, start)
        stop = min(match.end() + _REACH, end)
    if begin >= 0:
        yield begin, stop


_ANY_SIGN = re.compile(r"[0-9][0-9A-Za-z_:.,/ +-]*|tmp|T(?:emp|EMP|MP)[\\/%]|temp[\\/]|/folders/")
"""Every pattern has a digit or one of these in it, and prose has few of either."""

_REACH = 80
"""Characters around a sign that one piece of volatile text may span; longer than any but a path."""

_Pattern = tuple[VolatileKind, re.Pattern[str], re.Pattern[str]]


def _compiled(entries: Iterable[tuple[VolatileKind, tuple[str, ...], str]]) -> list[_Pattern]:
    """Kind, a sign that is quick to search, and the pattern; searching two literals beats one choice of them."""
    return [(kind, re.compile(sign), re.compile(pattern)) for kind, signs, pattern in entries for sign in signs]


_PATTERNS = _compiled(
    (
        *BEFORE_DATES,
        *((VolatileKind.DATE, signs, with_clock(date)) for signs, date in DATES),
        (VolatileKind.DATE, *BASIC_DATE),
        (VolatileKind.DATE, *TODAY),
        (VolatileKind.TIME, *BARE_CLOCK),
        (VolatileKind.TIME, *OTHER_CLOCK),
        *BEHIND_DATES,
    )
)
_HEX_PATTERNS = _compiled(HEX_IDS)
_HEX_DIGITS = bytes(ord("0") if chr(code) in "0123456789abcdefABCDEF" else ord(" ") for code in range(256))
_HEX_ID = b"0" * 24
"""Runs of hexadecimal digits are slow to search and quick to rule out."""
