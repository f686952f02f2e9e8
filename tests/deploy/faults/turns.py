"""Two processes at once: threads of which one runs at a time, and an order says which one makes the next API call."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deploy.faults.world import Answer, Call, Weather


class Order(Protocol):
    """Says which run makes the next call."""

    def choose(self, alive: Sequence[int]) -> int:
        """One of the runs that have not ended, by their positions."""


class RandomOrder:
    """Random turns.

    Args:
        seed: Of the schedule.
        head_start: Calls that the first run makes before the others begin.
        stay: How often the run that made a call also makes the next one.
    """

    def __init__(self, seed: int, *, head_start: int, stay: float) -> None:
        self._random = random.Random(seed)
        self._head_start = head_start
        self._stay = stay
        self._current = 0

    def choose(self, alive: Sequence[int]) -> int:
        """The first run for its head start, then any."""
        if self._head_start and 0 in alive:
            self._head_start -= 1
            self._current = 0
        elif self._current not in alive or self._random.random() >= self._stay:
            self._current = self._random.choice(alive)
        return self._current


class InBetween:
    """The second run comes between two calls of the first and stops there; then the first goes on to its end.

    Args:
        first: Calls of the first run before it.
        second: Calls of the second run there.
        now: The time, in seconds.
        hold_seconds: For how long the first one waits at most.
    """

    def __init__(self, first: int, second: int, *, now: Callable[[], float], hold_seconds: float) -> None:
        self._first = first
        self._second = second
        self._now = now
        self._hold_seconds = hold_seconds
        self._goes_on_at: float | None = None

    def choose(self, alive: Sequence[int]) -> int:
        """The first run for its calls, the second for its own, the first to its end."""
        if self._first and 0 in alive:
            self._first -= 1
            return 0
        self._goes_on_at = self._goes_on_at or self._now() + self._hold_seconds
        if self._second and 1 in alive and self._now() < self._goes_on_at:
            self._second -= 1
            return 1
        return alive[0]


class Turns:
    """Lets one of several runs make its next call.

    Args:
        order: Which one.
        weather: What becomes of the calls.
    """

    def __init__(self, order: Order, *, weather: Weather) -> None:
        self._order = order
        self._weather = weather
        self._turns: dict[int, threading.Semaphore] = {}
        self._is_waiting = threading.Semaphore(0)
        self._faults: list[BaseException] = []
        self._runs: dict[int, int] = {}
        self.made: list[list[Call]] = []
        """The calls of each run, in its order."""

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        """Wait for the turn of the run that makes this call, and let the weather have it."""
        mine = self._turns.get(threading.get_ident())
        if mine is not None:
            self._is_waiting.release()
            mine.acquire()
            self.made[self._runs[threading.get_ident()]].append(call)
        return self._weather.pass_through(call, perform)

    def together(self, runs: Sequence[Callable[[], object]]) -> None:
        """Carry out several runs at once, and return when all have ended."""
        threads = [threading.Thread(target=self._carry_out, args=(run,), daemon=True) for run in runs]
        waiting: list[tuple[threading.Thread, threading.Semaphore]] = []
        for thread in threads:
            thread.start()
            self._is_waiting.acquire()  # It has come to its first call.
            waiting.append((thread, self._turns[thread.ident or 0]))
        while running := [position for position, each in enumerate(waiting) if each[0].ident in self._turns]:
            thread, turn = waiting[self._order.choose(running)]
            turn.release()
            self._is_waiting.acquire()  # It has come to its next call, or to its end.
            thread.join(timeout=0 if thread.ident in self._turns else None)
        if self._faults:
            raise self._faults[0]

    def _carry_out(self, run: Callable[[], object]) -> None:
        self._runs[threading.get_ident()] = len(self.made)
        self.made.append([])
        self._turns[threading.get_ident()] = threading.Semaphore(0)
        try:
            run()
        except BaseException as fault:  # noqa: BLE001 - raised where the test sees it.
            self._faults.append(fault)
        finally:
            del self._turns[threading.get_ident()]
            self._is_waiting.release()
