"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and what it counts: "1 request", "2,000 requests".

    Args:
        number: How many.
        noun: What is counted, in the singular.
        plural: Its plural, where that is not the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
