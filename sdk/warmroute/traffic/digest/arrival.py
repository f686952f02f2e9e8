"""Dates and times of ISO 8601 in Ibis, by plain arithmetic: engines differ in what they take for one, and in zones."""

from __future__ import annotations

from typing import Any, NamedTuple


class Instant(NamedTuple):
    """A column of times, and how coarse the clock is that told them."""

    seconds: Any
    """Since 1970; null for what is no date and time, or before 1970."""

    resolution_seconds: Any


def instant(text: Any) -> Instant:
    """The times that texts stand for, such as ``2026-04-29T00:03:18.25Z``; of UTC unless they say otherwise."""
    import ibis

    is_date = text.re_search(_DATE) & text.substr(0, 10).try_cast("date").notnull()
    year, month, day = _number(text, 0, 4), _number(text, 5, 2), _number(text, 8, 2)
    clock = _number(text, 11, 2) * 3_600 + _number(text, 14, 2) * 60 + _number(text, 17, 2)
    fraction = text.re_extract(r":[0-9]{2}\.([0-9]+)", 1)
    offset = text.re_extract(r"[+-][0-9]{2}:?[0-9]{2}$", 0)
    minutes = _number(offset, 1, 2) * 60 + _number(offset.replace(":", ""), 3, 2)
    ahead = ibis.cases((offset == "", 0), (offset.startswith("-"), -60 * minutes), else_=60 * minutes)
    below = ibis.ifelse(fraction == "", 0.0, ibis.literal("0.").concat(fraction).try_cast("float64"))
    seconds = (_days(year, month, day) * 86_400 + clock - ahead).cast("float64") + below.fill_null(0.0)
    digits = ibis.least(fraction.length(), 6).fill_null(0)
    resolution = ibis.cases(*((digits == places, 10.0**-places) for places in range(1, 7)), else_=1.0)
    is_told = is_date.fill_null(False) & (seconds >= 0)  # noqa: FBT003
    return Instant(
        ibis.ifelse(is_told, seconds, ibis.null("float64")), ibis.ifelse(is_told, resolution, ibis.literal(0.0))
    )


_DATE = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])?$"
)


def _number(text: Any, begin: int, length: int) -> Any:
    return text.substr(begin, length).try_cast("int64")


def _days(year: Any, month: Any, day: Any) -> Any:
    """Days since 1970-01-01, of years that begin in March: February, of whatever length, is then the last month."""
    import ibis

    is_before = (month <= 2).ifelse(1, 0)
    since = year - is_before
    in_year = _whole((month + 12 * is_before - 3) * 153 + 2, 5) + day - 1
    return since * 365 + _whole(since, 4) - _whole(since, 100) + _whole(since, 400) + in_year - ibis.literal(719_468)


def _whole(number: Any, divisor: int) -> Any:
    return (number - number % divisor).cast("float64").__truediv__(divisor).cast("int64")
