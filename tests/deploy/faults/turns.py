"""Two processes at once: threads of which one runs at a time, and a seed says which one makes the next API call."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deploy.faults.world import Answer, Call, Weather


class Turns:
    """Lets one of several runs make its next call.

    Args:
        seed: Of the schedule.
        head_start: Calls that the first run makes before the others begin.
        stay: How often the run that made a call also makes the next one.
        weather: What becomes of the calls.
    """

    def __init__(self, seed: int, *, head_start: int, stay: float, weather: Weather) -> None:
        self._random = random.Random(seed)
        self._head_start = head_start
        self._stay = stay
        self._weather = weather
        self._turns: dict[int, threading.Semaphore] = {}
        self._is_waiting = threading.Semaphore(0)
        self._faults: list[BaseException] = []

    def pass_through(self, call: Call, perform: Callable[[], Answer]) -> Answer:
        """Wait for the turn of the run that makes this call, and let the weather have it."""
        mine = self._turns.get(threading.get_ident())
        if mine is not None:
            self._is_waiting.release()
            mine.acquire()
        return self._weather.pass_through(call, perform)

    def together(self, runs: Sequence[Callable[[], object]]) -> None:
        """Carry out several runs at once, and return when all have ended."""
        threads = [threading.Thread(target=self._carry_out, args=(run,), daemon=True) for run in runs]
        alive: list[tuple[threading.Thread, threading.Semaphore]] = []
        for thread in threads:
            thread.start()
            self._is_waiting.acquire()  # It has come to its first call.
            alive.append((thread, self._turns[thread.ident or 0]))
        current = alive[0]
        while alive:
            if self._head_start and alive[0][0] is threads[0]:
                self._head_start -= 1
                current = alive[0]
            elif current not in alive or self._random.random() >= self._stay:
                current = self._random.choice(alive)
            current[1].release()
            self._is_waiting.acquire()  # It has come to its next call, or to its end.
            current[0].join(timeout=0 if current[0].ident in self._turns else None)
            alive = [each for each in alive if each[0].ident in self._turns]
        if self._faults:
            raise self._faults[0]

    def _carry_out(self, run: Callable[[], object]) -> None:
        self._turns[threading.get_ident()] = threading.Semaphore(0)
        try:
            run()
        except BaseException as fault:  # noqa: BLE001 - raised where the test sees it.
            self._faults.append(fault)
        finally:
            del self._turns[threading.get_ident()]
            self._is_waiting.release()
