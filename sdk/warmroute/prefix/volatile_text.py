"""What in a text probably changes from call to call: dates, times, ids, counters, temporary paths."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class VolatileKind(StrEnum):
    """What a piece of volatile text is."""

    DATE = "date"
    TIME = "time"
    """A time of day, with its date if that is next to it."""

    EPOCH = "epoch"
    """Seconds or milliseconds since 1970, for the years 2017 to 2033."""

    UUID = "uuid"
    HEX_ID = "hex_id"
    """24 to 64 hexadecimal digits; 5 or more in the form ``key=value;`` of a header."""

    ID = "id"
    """A ULID, an id with a known beginning such as ``call_``, or what follows the words request id, user id, …"""

    COUNTER = "counter"
    """A counted request, message or turn: ``Request #123``, ``17 previous messages``."""

    TEMPORARY_PATH = "temporary_path"

    @property
    def remedy(self) -> str:
        """What to do about it, as a sentence."""
        return _REMEDIES[self]


class Span(NamedTuple):
    """A piece of volatile text."""

    start: int
    end: int
    kind: VolatileKind


def volatile_spans(text: str) -> list[Span]:
    """The volatile pieces of a text, in order, without overlaps: of two that overlap, the more telling kind."""
    found: list[Span] = []
    taken = bytearray(len(text))
    for region in _around(_ANY_SIGN, text, 0, len(text)):
        for kind, sign, pattern in _PATTERNS:
            for stretch in _around(sign, text, *region):
                for match in pattern.finditer(text, *stretch):
                    # A group of this name is the volatile part of what the pattern recognises.
                    start, end = match.span("id" if match.lastgroup == "id" else 0)
                    if taken.find(1, start, end) < 0:
                        taken[start:end] = b"\1" * (end - start)
                        found.append(Span(start, end, kind))
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


_ANY_SIGN = re.compile(r"[0-9][0-9A-Za-z_:.,/ +-]*|tmp")
"""Every pattern has a digit or ``tmp`` in it, and prose has few of either."""

_REACH = 80
"""Characters around a sign that one piece of volatile text may span; longer than any but a path."""

_DAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY_OF_MONTH = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)[0-9]{2}"
_DATES = (
    (
        r"[-/.](?:0[1-9]|1[0-2])[-/.]",
        rf"(?<![0-9]){_YEAR}(?P<mark>[-/.])(?:0[1-9]|1[0-2])(?P=mark)(?:0[1-9]|[12][0-9]|3[01])",
    ),
    (
        rf"[/.]{_YEAR}",
        rf"(?<![0-9])(?:0?[1-9]|[12][0-9]|3[01])[/.](?:0?[1-9]|[12][0-9]|3[01])[/.]{_YEAR}",
    ),
    (
        r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}[ .,]",
        rf"(?:\b{_DAY},? )?(?:\b{_MONTH} {_DAY_OF_MONTH},?|(?<![0-9]){_DAY_OF_MONTH}(?: of)? {_MONTH},?) {_YEAR}",
    ),
)
"""Signs and patterns of dates: 2026-07-20, 20.07.2026, Monday, July 20, 2026."""

_HALF_OF_DAY = r" ?[AaPp]\.?[Mm]\b\.?"
_SECONDS = r":[0-5][0-9](?:[.,][0-9]{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[A-Z]{2,4}T|[+-][0-9]{2}:?[0-9]{2})\b)?"
_CLOCK = (
    # A single digit only with seconds or a half of the day: 3:16 alone is a verse or a ratio.
    rf"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9](?:{_SECONDS})?(?:{_HALF_OF_DAY})?"
    rf"|[0-9]:[0-5][0-9](?:{_SECONDS}(?:{_HALF_OF_DAY})?|{_HALF_OF_DAY})){_ZONE}"
)
_WORD_START, _WORD_END = r"(?<![0-9A-Za-z_-])", r"(?![0-9A-Za-z_-])"
_RANDOM_NAME = r"[^\s\"'<>]{0,160}(?:[0-9]|tmp[a-z_]{8})[^\s\"'<>]{0,160}"
"""A number or Python's ``tmp…`` in it: ``/tmp/output`` is the same in every call."""

_WITH_A_DIGIT = r"(?=[A-Za-z_-]{0,64}[0-9])"
_PREFIXES = "req|call|chatcmpl|msg|sess|session|run|thread|conv|toolu|trace"
_NAMES = "conversation|session|request|message|trace|run|thread|user|chat|turn"

_PATTERNS = [
    (kind, re.compile(sign), re.compile(pattern))
    for kind, sign, pattern in (
        # The more telling kind first: a path with a UUID in it is a path.
        (VolatileKind.TEMPORARY_PATH, r"tmp/", rf"(?:/private)?(?:/var)?/tmp/{_RANDOM_NAME}"),
        (VolatileKind.TEMPORARY_PATH, r"/var/folders/", r"/var/folders/[^\s\"'<>]{1,160}"),
        (VolatileKind.TEMPORARY_PATH, r"Temp[\\/]", rf"[A-Za-z]:[\\/][^\s\"'<>]{{0,160}}[\\/]Temp[\\/]+{_RANDOM_NAME}"),
        (
            VolatileKind.UUID,
            r"-[0-9A-Fa-f]{4}-",
            r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])",
        ),
        *((VolatileKind.TIME, sign, rf"{date}(?:T|,? (?:at |- )?){_CLOCK}(?![0-9])") for sign, date in _DATES),
        (VolatileKind.TIME, r":[0-5][0-9]", rf"(?<![0-9:.]){_CLOCK}(?![0-9:])"),
        *((VolatileKind.DATE, sign, rf"{date}(?![0-9])") for sign, date in _DATES),
        # A ULID of the years 2004 to 2039.
        (VolatileKind.ID, r"01[0-9A-Z]{24}", rf"{_WORD_START}01[0-9A-HJKMNP-TV-Z]{{24}}{_WORD_END}"),
        (
            VolatileKind.ID,
            r"[_-][A-Za-z0-9_-]{8}",
            rf"{_WORD_START}(?:{_PREFIXES})[_-]{_WITH_A_DIGIT}[A-Za-z0-9_-]{{8,128}}",
        ),
        (
            VolatileKind.ID,
            r"[iI][dD]\s?[\"']?\s{0,2}[:=]",
            rf"(?i:(?:{_NAMES})[_ -]?id)\s?[\"']?\s{{0,2}}[:=]\s{{0,3}}[\"']?(?P<id>{_WITH_A_DIGIT}[\w-]{{3,128}})",
        ),
        (
            VolatileKind.HEX_ID,
            r"[0-9a-f]{24}",
            rf"{_WORD_START}(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{24,64}}{_WORD_END}",
        ),
        (
            VolatileKind.HEX_ID,
            r"[0-9A-F]{24}",
            rf"{_WORD_START}(?=[0-9]*[A-F])(?=[A-F]*[0-9])[0-9A-F]{{24,64}}{_WORD_END}",
        ),
        (
            VolatileKind.HEX_ID,
            r"=[0-9a-f]{5,23};",
            r"(?<=[a-z]=)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{5,23}(?=;)",
        ),
        (
            VolatileKind.COUNTER,
            r"(?:#|[nN][oO]\.|[bB][eE][rR])\s?[0-9]",
            r"(?i:\b(?:request|call|message|turn|attempt|iteration|run|session|build)\s?(?:#|no\.|number)\s?)[0-9]+",
        ),
        (
            VolatileKind.COUNTER,
            r"(?:of |/)[0-9]",
            r"(?i:\b(?:message|turn|attempt|iteration)) [0-9]+(?: of |/)[0-9]+",
        ),
        (
            VolatileKind.COUNTER,
            r"[0-9] (?:previous|prior|earlier|unread|new|remaining)",
            r"\b[0-9]+ (?:previous|prior|earlier|unread|new|remaining) (?:messages?|turns?|requests?|calls?)\b",
        ),
        (
            VolatileKind.EPOCH,
            r"1[5-9][0-9]{8}",
            r"(?<![0-9A-Za-z.+-])1[5-9][0-9]{8}(?:[0-9]{3})?(?:\.[0-9]+)?(?![0-9A-Za-z-])",
        ),
    )
]
"""Kind, a sign that is quick to search and part of every match, and the pattern."""

_REMEDIES = {
    VolatileKind.DATE: "Move the date to the last message, or leave it out; each midnight changes every key.",
    VolatileKind.TIME: "Move the time to the last message, or round it to the day.",
    VolatileKind.EPOCH: "Move the timestamp to the last message, or leave it out.",
    VolatileKind.UUID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.HEX_ID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.ID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.COUNTER: "Leave the number out, or move it to the last message.",
    VolatileKind.TEMPORARY_PATH: "Use a fixed path, or tell the path in the last message.",
}
