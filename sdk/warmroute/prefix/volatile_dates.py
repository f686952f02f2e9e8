"""Dates and times of day as programs and people write them."""

from __future__ import annotations

_YEAR = r"20[23][0-9]"
"""An earlier date is history to any prompt, a later one a plan."""

_SHORT_YEAR = r"(?:2[4-9]|3[0-9])"
_MONTH_NUMBER = r"(?:0[1-9]|1[0-2])"
_ANY_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_DAY_NUMBER = r"(?:0[1-9]|[12][0-9]|3[01])"
_ANY_DAY_NUMBER = r"(?:0?[1-9]|[12][0-9]|3[01])"
_DAY_OF_MONTH = rf"{_ANY_DAY_NUMBER}(?:st|nd|rd|th|er|º|ª)?"
_WEEKDAY = r"(?i:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?i:day)?"
_MONTH = (
    r"(?i:jan(?:uary|uar|vier|eiro)?|jänner|enero|gennaio"
    r"|feb(?:ruary|ruar|rero|braio|ruari)?|févr?(?:ier)?|fevereiro"
    r"|mar(?:ch|s|zo|ço|t)?|märz|mrz|maart|apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|maio|maggio|mei"
    r"|june?|juni|juin|junio|junho|giugno|july?|juli|juillet|julio|julho|luglio"
    r"|aug(?:ust|ustus)?|août|agosto|sept?(?:ember)?|septembre|septiembre|setembro|settembre"
    r"|oct(?:ober|obre)?|okt(?:ober)?|octubre|outubro|ottobre|nov(?:ember|embre|iembre|embro)?"
    r"|dec(?:ember)?|dez(?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)?"
    r"|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)\.?"
)
"""English, German, French, Spanish, Portuguese, Italian, Dutch, Russian."""

_NOT_IN_A_NAME = r"(?<![0-9A-Za-z_@+.$€£¥-])(?<!==)"
"""``gpt-4o-2024-08-06`` is a name, so is ``package==2024.1.15``."""

_NOT_IN_A_PATH = r"(?<![0-9A-Za-z_@+./$€£¥-])(?<!==)"
_NOT_IN_A_LONGER_NAME = r"(?![0-9A-Za-z_/]|-[0-9A-Za-z])"

DATES = (
    ((rf"-{_MONTH_NUMBER}-",), rf"{_NOT_IN_A_NAME}{_YEAR}-{_MONTH_NUMBER}-{_DAY_NUMBER}"),
    ((r"/[01]?[0-9]/",), rf"{_NOT_IN_A_PATH}{_YEAR}/{_ANY_MONTH_NUMBER}/{_ANY_DAY_NUMBER}(?![0-9/])"),
    (
        (r"20[23][0-9]\.",),
        rf"{_NOT_IN_A_NAME}{_YEAR}\.(?: ?{_ANY_MONTH_NUMBER}\. |{_MONTH_NUMBER}\.){_ANY_DAY_NUMBER}",
    ),
    (
        (r"20[23][0-9]",),
        rf"{_NOT_IN_A_PATH}{_ANY_DAY_NUMBER}(?P<mark>[-/.]){_ANY_DAY_NUMBER}(?P=mark){_YEAR}(?![0-9/])",
    ),
    (
        (r"\.[01][0-9]\.[23][0-9]",),
        # Two digits each, since 1.11.26 is a version.
        rf"{_NOT_IN_A_PATH}{_DAY_NUMBER}\.{_MONTH_NUMBER}\.{_SHORT_YEAR}(?![0-9A-Za-z/]|\.[0-9])",
    ),
    (
        (r"/[23][0-9]",),
        rf"{_NOT_IN_A_PATH}{_ANY_DAY_NUMBER}/{_ANY_DAY_NUMBER}/{_SHORT_YEAR}(?![0-9A-Za-z/])",
    ),
    (
        (r"20[23][0-9]",),
        (
            rf"(?:\b{_WEEKDAY},? )?(?:\b{_MONTH} {_DAY_OF_MONTH},?"
            rf"|(?<![0-9]){_DAY_OF_MONTH}\.?(?: of| de)? {_MONTH},?(?: del?)?) {_YEAR}"
        ),
    ),
    (
        (r"-(?:20)?[23][0-9]", r"/(?:20)?[23][0-9]"),
        rf"(?<![0-9/-]){_ANY_DAY_NUMBER}(?P<dash>[-/]){_MONTH}(?P=dash)(?:{_YEAR}|{_SHORT_YEAR})",
    ),
    (("年", "년"), rf"{_YEAR} ?[年년] ?{_ANY_MONTH_NUMBER} ?[月월] ?{_ANY_DAY_NUMBER} ?[日일号]"),
)
"""Signs and patterns of dates: 2026-07-20, 20.07.2026, 20.07.26, 7/20/26, July 20, 2026, 20-Jul-2026, 2026年7月20日."""

BASIC_DATE = (
    (r"20[23][0-9][01][0-9][0-3][0-9]",),
    (
        rf"{_NOT_IN_A_NAME}{_YEAR}{_MONTH_NUMBER}{_DAY_NUMBER}"
        r"(?P<clock>[Tt_ -]?(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?(?:[.,][0-9]{1,9})?"
        r"(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9A-Za-z_-]|\.[0-9])"
    ),
)
"""20260720, 20260720T101500Z, 20260720-101500."""

TODAY = (
    ("oday", "ODAY", "ate[^a-z]", "ATE[^A-Z]"),
    (
        r"(?i:\b(?:today|date))\b[^.\n0-9]{0,24}?"
        rf"\b(?P<id>{_MONTH} {_DAY_OF_MONTH}|{_DAY_OF_MONTH} {_MONTH})(?![0-9A-Za-z])"
    ),
)
"""A day without its year, where it says that it is today's."""

_HALF_OF_DAY = r" ?[AaPp]\.?[Mm]\b\.?"
_SECONDS = r":[0-5][0-9](?:[.,][0-9]{1,9})?"
_ZONE = r"(?: ?(?:[Zz]|UTC|GMT|[A-Z]{2,4}T|[+-][0-9]{2}:?[0-9]{2})\b)?"
_CLOCK = (
    # A single digit only with seconds or a half of the day: 3:16 alone is a verse or a ratio.
    rf"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9](?:{_SECONDS})?(?:{_HALF_OF_DAY})?"
    rf"|[0-9]:[0-5][0-9](?:{_SECONDS}(?:{_HALF_OF_DAY})?|{_HALF_OF_DAY})){_ZONE}"
)
BARE_CLOCK = ((":[0-5][0-9]",), rf"(?<![0-9:.]){_CLOCK}(?![0-9:])")
OTHER_CLOCK = (
    (r"h[0-5][0-9]", "分", "분"),
    r"(?<![0-9A-Za-z])(?:[01]?[0-9]|2[0-3])(?:h[0-5][0-9](?![0-9A-Za-z])|[时時点시] ?[0-5]?[0-9] ?[分분])",
)
"""14h59, 14时59分."""

_FILE_CLOCK = r"[Tt_ -](?:[01][0-9]|2[0-3])-[0-5][0-9]-[0-5][0-9]"


def with_clock(date: str) -> str:
    """The pattern of a date with the time of day that may follow it, in a group ``clock``."""
    clock = rf"(?:[Tt]|,? (?i:at |um |à |- )?|:){_CLOCK}(?![0-9])|{_FILE_CLOCK}"
    return rf"{date}(?:(?P<clock>{clock})|{_NOT_IN_A_LONGER_NAME})"
