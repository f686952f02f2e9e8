"""Fields of recorded entries, each as what it has to be; anything else is a reason to reject the entry."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def text(value: Mapping[str, Any], *names: str) -> str:
    """The first of some fields that is a text with something in it; empty if none is. Whole numbers are texts here."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""


def mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that is an object; an empty one if it is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def listed(value: Mapping[str, Any], name: str) -> list[Any]:
    """A field that is a list; an empty one if it is none."""
    found = value.get(name)
    return found if isinstance(found, list) else []


def count(value: Mapping[str, Any], *names: str) -> int | None:
    """The first of some fields that is there, as a number of tokens or the like.

    Raises:
        BadEntryError: It is no whole number, below 0, or too large for one of 32 bits.
    """
    for name in names:
        if value.get(name) not in (None, ""):
            number = _number(value[name], name)
            if not 0 <= number <= _LARGEST_COUNT or number != int(number):
                raise BadEntryError(f"{name} is not a whole number of 0 to {_LARGEST_COUNT:,}")
            return int(number)
    return None


_LARGEST_COUNT = 2**31 - 1
_YEAR_10000 = 253_402_300_800
"""In seconds since 1970."""


class Instant(NamedTuple):
    """A time, and how coarse the clock is that told it; both in seconds."""

    at: float | None = None
    resolution: float = 0.0


def seconds(value: Mapping[str, Any], name: str, *, per_second: int = 1, resolution: float = 0.0) -> Instant:
    """A field with a time as a number, none if it is absent.

    Args:
        value: The entry.
        name: The field.
        per_second: Of its units: 1,000 for milliseconds.
        resolution: How coarse the clock is, if not as coarse as the unit.

    Raises:
        BadEntryError: It is no number, below 0, or later than any date.
    """
    if value.get(name) in (None, ""):
        return Instant()
    number = _number(value[name], name) / per_second
    if not 0 <= number < _YEAR_10000:
        raise BadEntryError(f"{name} is below 0, or after the year 9999")
    return Instant(number, resolution or (1 / per_second if per_second > 1 else 0.0))


def date(value: Mapping[str, Any], name: str) -> Instant:
    """A field with a date and time in ISO 8601, of UTC unless it says otherwise; none if it is absent.

    Raises:
        BadEntryError: It is no such text.
    """
    found = value.get(name)
    if found in (None, ""):
        return Instant()
    match = _DATE.fullmatch(found) if isinstance(found, str) else None
    if not match:
        raise BadEntryError(f"{name} is not a date and time")
    try:
        moment = datetime.fromisoformat(match[0])
        at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadEntryError(f"{name} is not a date and time") from None
    if at < 0:
        raise BadEntryError(f"{name} is before 1970")
    return Instant(at, 10.0 ** -min(6, len(match[1] or "")))


_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:?\d\d)?")


def seconds_or_date(value: Mapping[str, Any], name: str) -> Instant:
    """A field with a time as seconds or as a date, none if it is absent.

    Raises:
        BadEntryError: It is neither.
    """
    return date(value, name) if isinstance(value.get(name), str) else seconds(value, name)


def first_instant(instants: Iterable[Instant]) -> Instant:
    """The first time that is there."""
    return next((instant for instant in instants if instant.at is not None), Instant())


def _number(found: object, name: str) -> float:
    try:
        if isinstance(found, (int, float, str)) and not isinstance(found, bool):
            number = float(found)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise BadEntryError(f"{name} is not a number")
