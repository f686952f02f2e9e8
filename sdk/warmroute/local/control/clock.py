"""The time that the local control plane lives in, and how long its changes take."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Clock:
    """A clock that runs at any speed and can be put forward.

    Args:
        speed: Seconds that pass here in one real second; 0 stops the clock, so that only ``advance`` moves it.
        start: What the clock shows first, in seconds since 1970; the present by default.

    Raises:
        ValueError: The speed is negative.
    """

    def __init__(self, speed: float = 1.0, *, start: float | None = None) -> None:
        if speed < 0:
            raise ValueError(f"speed is {speed}; a clock cannot run backwards.")
        self.speed = speed
        self._base = time.time() if start is None else start
        self._started = time.monotonic()
        self._advanced = 0.0
        self._held: float | None = None

    def now(self) -> float:
        """Seconds since 1970."""
        held = self._held
        if held is not None:
            return held
        return self._base + self._advanced + (time.monotonic() - self._started) * self.speed

    @contextmanager
    def held(self) -> Iterator[float]:
        """What it shows, which it goes on to show to everybody until the block ends."""
        self._held = self.now()
        try:
            yield self._held
        finally:
            self._held = None

    def run(self, speed: float) -> None:
        """Go on from what it shows.

        Args:
            speed: Seconds that pass here in one real second, at least 0.
        """
        self._base, self._advanced, self._started, self.speed = self.now(), 0.0, time.monotonic(), speed

    def advance(self, seconds: float) -> None:
        """Put the clock forward.

        Args:
            seconds: How far, at least 0.

        Raises:
            ValueError: ``seconds`` is negative.
        """
        if seconds < 0:
            raise ValueError(f"seconds is {seconds}; a clock cannot run backwards.")
        self._advanced += seconds


@dataclass(frozen=True, slots=True)
class Durations:
    """How many seconds of the clock each change takes; SageMaker needs minutes, which nobody waits for locally."""

    creating: float = 2.0
    """An endpoint from Creating to InService or Failed."""

    updating: float = 2.0
    """An endpoint from Updating to InService or RollingBack."""

    rolling_back: float = 1.0
    """An endpoint from RollingBack to InService."""

    deleting: float = 0.5
    """An endpoint or component from Deleting until it is gone."""

    component: float = 1.0
    """An inference component from Creating or Updating to InService."""


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as the UTC date and time that an API response carries."""
    return datetime.fromtimestamp(seconds, UTC)
