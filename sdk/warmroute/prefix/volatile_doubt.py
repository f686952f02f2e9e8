"""What stands beside a date, a time or an id and says that it is the same in every call."""

from __future__ import annotations

import re

from warmroute.prefix.volatile_kind import VolatileKind


def is_fixed(text: str, start: int, end: int, kind: VolatileKind) -> bool:
    """Whether its surroundings say that a piece of text stays: an example, a version, office hours, a checksum.

    Args:
        text: The whole text.
        start: Where the piece begins.
        end: Where it ends.
        kind: What it looks like.
    """
    sentence = text[max(start - _REACH, 0) : start]
    lowered = sentence.lower()
    if any(stem in lowered for stem in _STEMS_OF_EXAMPLE) and _EXAMPLE.search(sentence):
        return True
    before, piece = sentence[-_NEAR:], text[start:end]
    if kind is VolatileKind.TIME:
        return _is_fixed_time(before, piece, text[end : end + _REACH])
    if kind is VolatileKind.DATE and _FROM_THEN_ON.match(text, end):
        return True
    if kind is VolatileKind.EPOCH and (piece.endswith("000000") or _UNIT.match(text, end)):
        return True
    sign = _FIXED.get(kind)
    return sign is not None and sign.search(before) is not None


_REACH = 80
"""Characters on each side that are looked at."""

_NEAR = 40
"""Characters that a word and the small words behind it may take."""


def _before(words: str, between: str) -> re.Pattern[str]:
    """A pattern of words that stand before a piece, with nothing but signs and the small words between."""
    return re.compile(rf"(?:{words})[^0-9A-Za-z\n]{{0,6}}(?:(?:{between})[^0-9A-Za-z]{{1,4}}){{0,3}}$", re.IGNORECASE)


_STEMS_OF_EXAMPLE = (
    *("e.g", "e. g", "i.e", "exam", "instance", "such as", "like", "z.", "beispiel", "exem", "ejem", "esem", "format"),
    *("наприм", "例", "比如", "예"),
)
"""Quick to search; the pattern is not."""

_EXAMPLE = re.compile(
    r"(?i:\be\.? ?g\b\.?|\bi\.e\b\.?|\bexamples?\b|\bfor instance\b|\bsuch as\b|\blike\b|\bz\. ?B\.|\bbeispiel"
    r"|\bexemple|\bejemplo|\besempio|\bexemplo|например|例如|例えば|比如|예:|예를 들어)"
    r"(?:(?![.!?] |\n|\x1f,|(?i:\b(?:today|now|current|heute|jetzt|hoy|hoje|oggi)\b)).){0,64}$"
    r"|(?i:\bformat(?:ted)?\b)[^0-9A-Za-z]{0,6}(?:(?:is|are|as|of|in)[^0-9A-Za-z]{1,4}){0,2}$"
)
"""An example, and what follows it in the sentence; \\x1f is the quote at the end of a JSON text."""

_SMALL_WORDS = (
    r"[0-9]{1,3}|date|number|no|from|as|of|on|is|was|at|in|the|until|through|to|by|for|it|this|policy"
    "|vom|am|le|la|du|del|de|el|il|dal|und"
)
_FIXED = {
    VolatileKind.DATE: _before(
        r"\b(?:[a-z]*version[a-z]*|release[ds]?|revision|rev|cut-?off|effective|founded|established|born|since"
        r"|published|enacted|in force|valid|expires?|deprecated|introduced|launched|copyright|patch(?:ed)?|snapshot"
        r"|protocol|API|Fassung|gültig|Wissensstand|Inkrafttreten|vigueur|vigor|partir"
        r"|versión|versão|versione|wersja|версия|версии)"
        r"|©|版本|バージョン|버전|生效|施行|截止",
        _SMALL_WORDS + "|ab|bis|seit",
    ),
    VolatileKind.HEX_ID: _before(
        r"\b(?:sha-?[0-9]{1,3}|md5|digest|checksum|commit|hash|integrity|fingerprint"
        r"|[a-z-]*colou?r|background|fill|stroke|border)",
        "is|of|the",
    ),
    VolatileKind.EPOCH: _before(
        r"\b(?:phone|tel|fax|dial|call|hotline|isbn|account|iban|invoice|max(?:imum)?|min(?:imum)?|limit|zip|vat|tax)|[$€£¥]",
        "number|no|id|us|at|is|of|or|value",
    ),
    VolatileKind.COUNTER: _before(
        r"\b(?:at most|up to|last|max(?:imum)?|than|at least|first|every|keep|limit|only|write|build"
        r"|create|make|generate|add|send)",
        "of|the|to|is",
    ),
}
"""Words before a piece that make it a fixed one."""

_FROM_THEN_ON = re.compile(r" ?(?:起|から|より|부터|以降)")
_UNIT = re.compile(
    r" ?(?:bytes?|B|tokens?|param(?:eter)?s?|users?|people|USD|EUR|items?|rows?|records?|dollars?|euros?|cycles?|Hz)\b"
)


def _is_fixed_time(before: str, time: str, after: str) -> bool:
    if not _CLOCK_FIRST.match(time):  # With its date, a moment.
        return False
    if (
        _HOURS.fullmatch(time)
        or _HOURS_AFTER.match(after)
        or _HOURS_BEFORE.search(before)
        or _SCHEDULE_TIME.search(before)
        or _IS_RATIO.match(after)
    ):
        return True
    if _NOW.search(before):
        return False
    found = _MINUTES.search(time)
    if found is None or found["seconds"] not in _ROUND_SECONDS:
        return False
    if _SCHEDULE.search(before) or _SCHEDULE_AFTER.match(after):
        return True
    return found["seconds"] is None and found["minutes"] in _ROUND


_CLOCK_FIRST = re.compile(r"[0-9]{1,2}[:h时時点시]")
_ROUND_SECONDS = frozenset({None, "00"})
_ROUND = frozenset({"00", "15", "30", "45"})
"""Minutes that people choose; a clock shows them once in fifteen times."""

_MINUTES = re.compile(r"[:h时時点시] ?(?P<minutes>[0-5]?[0-9])(?::(?P<seconds>[0-5][0-9](?:[.,][0-9]+)?))?")
_ANY_TIME = r"[0-9]{1,2}(?:[:h.][0-9]{2}){0,2}(?:[.,][0-9]{1,3})?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?[A-Z]{2,4})?(?: ?Uhr)?"
_TO = (
    r"(?:-{1,2}>?|[\u2013\u2014~\u301c\uff5e→]|to|until|till|through|thru|and|or|bis|und|à|a|et|hasta|al|y|às|e"
    r"|до|至|到|から|부터)"
)
_HOURS = re.compile(r"[0-9]{1,2}:[0-9]{2}-[0-9]{1,2}:[0-9]{2}")
_HOURS_AFTER = re.compile(rf"(?: ?Uhr)? ?{_TO} ?{_ANY_TIME}(?![0-9])")
_HOURS_BEFORE = re.compile(rf"(?<![0-9]){_ANY_TIME} ?{_TO} ?$")
"""The other end of office hours."""

_SCHEDULE_TIME = re.compile(
    r"(?i:\b(?:opening|closing|start(?:ing)?|end|check-?in|check-?out|office|business|delivery|pick-?up|cut-?off|departure"
    r"|arrival|lunch|run|response|wait|lead|service|boarding|visiting)[ -]?(?:times?|hours?)"
    r"|Öffnungszeiten|Geschäftszeiten|horaires?|horarios?|orari|营业时间|工作时间|営業時間|영업 ?시간)"
    r"[^0-9A-Za-z]{0,6}(?:(?:is|are|at|from)[^0-9A-Za-z]{1,3})?$"
)
"""Times that are not those of the call."""

_IS_RATIO = re.compile(r" ?(?i:ratios?|mix(?:ture)?|odds|split|proportions?|aspect|win|victory|defeat|lead)\b")
"""What a time is not, where this follows it."""

_NOW = _before(
    r"\b(?:now|time|clock|datetime|timestamp|it['\u2019]?s|it is|today|tonight|as of|Uhrzeit|Zeit|jetzt|heute|heure"
    r"|il est|hora|son las|ora|sono le|são|uur|nu)|\b(?:generated|created|updated|sent|received|asked|logged in"
    r"|rendered|checked|called|retrieved|fetched|measured|recorded)\b[^0-9A-Za-z](?:at|on)"
    r"|время|сейчас|현재|지금|시각|時刻|现在|時間|时间|いま|今|当前",
    "is|ist|est|es|on|at|right now|zone|UTC|local|current|the|in",
)
"""Words that say that what follows is the time of the call."""

_SCHEDULE = _before(
    r"\b(?:at|after|before|by|until|till|from|between|to|starts?|opens?|closes?|ends?|daily|every|since|weekdays|timeout"
    r"|duration|ratio|scale|score|limit|ports?|length|verse|chapter|psalms?|genesis|exodus|matthew|mark|luke|john|acts"
    r"|romans|surah?|um|ab|bis|von|vor|nach|gegen|à|de|dès|avant|après|desde|hasta|a las|las|antes|dalle|alle|entro|das"
    r"|às|até|om|vanaf|tot)|до|после|около|午前|午後|上午|下午|오전|오후",
    "the|about|around|noon|is|of|day|UTC|at|least|most|up|to",
)
"""Words before a time that people keep to."""

_SCHEDULE_AFTER = re.compile(
    r",? ?(?:daily|every|each|on (?:week|mon|tues|wednes|thurs|fri|satur|sun)|sharp|前|以降|までに?|之前|以前)",
    re.IGNORECASE,
)
