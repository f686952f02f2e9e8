"""What time it is on the master's clock.

Monotonic clocks of two machines have nothing in common but their pace. A worker asks the master for its time again and
again; the answer that was fastest is off by half of the time that it took at most (Cristian, Probabilistic clock
synchronization, 1989).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_READINGS = 16


class Reading(NamedTuple):
    """One question for the master's time."""

    asked: float
    """On the worker's clock, in seconds."""
    told: float
    """On the master's."""
    answered: float
    """On the worker's."""


class Offset(NamedTuple):
    """From the worker's clock to the master's."""

    seconds: float
    uncertainty_seconds: float
    """The offset is off by this at most."""

    def here(self, masters: float) -> float:
        """A time of the master's clock, on the worker's."""
        return masters - self.seconds


def agreed(ask: Callable[[float], float], clock: Callable[[], float] = time.monotonic) -> Offset:
    """The offset of the master, who is asked often enough that one answer is fast.

    Args:
        ask: The master's time; takes that of the worker.
        clock: The worker's time in seconds.
    """
    readings = []
    for _ in range(_READINGS):
        asked = clock()
        told = ask(asked)
        readings.append(Reading(asked, told, clock()))
    return offset_of(readings)


def offset_of(readings: Iterable[Reading]) -> Offset:
    """The offset by the fastest answer.

    Args:
        readings: At least one.
    """
    best = min(readings, key=lambda each: each.answered - each.asked)
    return Offset(best.told - (best.asked + best.answered) / 2, (best.answered - best.asked) / 2)
