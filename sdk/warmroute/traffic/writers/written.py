"""What became of the requests that were to be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Requests that were written, and what the format could not hold."""

    requests: int
    """Lines written."""

    left_out: Mapping[str, int]
    """Requests that were not written, by reason."""

    not_held: Mapping[str, int]
    """Parts that the format has no place for, and how many of the written requests had them."""

    adapted: Mapping[str, int]
    """What was estimated or rewritten, and in how many requests."""

    def notes(self) -> list[str]:
        """What to know of the requests that were written, a sentence each."""
        parts = ", ".join(f"{part} ({count:,})" for part, count in self.not_held.items())
        lost = [f"The format has no place for {parts}."] if parts else []
        return [*lost, *(f"In {count:,}: {what}." for what, count in self.adapted.items())]
