"""What will happen, and when: changes that take effect once the clock has passed them."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[float], object]
    """Called with the time at which the change was due."""


class Agenda:
    """Changes in the order in which they are due; those due together happen in the order of their entry."""

    def __init__(self) -> None:
        self.next_due = math.inf
        """Time of the earliest change; infinite when there is none."""

        self._entries: list[tuple[float, int, Change]] = []
        self._numbers = itertools.count()

    def add(self, due: float, change: Change) -> None:
        """Enter a change.

        Args:
            due: When it happens, in seconds of the clock.
            change: Called with ``due``; it may enter further changes.
        """
        heapq.heappush(self._entries, (due, next(self._numbers), change))
        self.next_due = self._entries[0][0]

    def settle(self, now: float) -> bool:
        """Let everything happen that is due by now.

        Args:
            now: Seconds of the clock.

        Returns:
            Whether anything happened.
        """
        happened = False
        while self.next_due <= now:
            due, _, change = heapq.heappop(self._entries)
            self.next_due = self._entries[0][0] if self._entries else math.inf
            change(due)
            happened = True
        return happened
