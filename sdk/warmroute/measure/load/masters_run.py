"""One run as its master leads it, from the word to prepare to the record; how messages get about is Locust's affair."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.load.merging import Merging
from warmroute.measure.load.messages import ENDED, PREPARE, READY, ROWS, START, STOP
from warmroute.measure.load.share import Share
from warmroute.measure.replay.bodies import new_salt
from warmroute.measure.replay.journal import unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.measure.load.settings import ReplaySettings
    from warmroute.measure.replay.preparing import Prepared
    from warmroute.measure.replay.record import Replayed

LEAD_SECONDS = 1.0
"""From the word to begin to the beginning: time for the slowest message, and for connections to be made."""


LOCAL = "local"
"""The worker of a test without any: the master's own process, which fails for the same reasons."""


class MastersRun:
    """A run; its workers are told to prepare.

    Args:
        settings: What the locustfile says.
        workers: Their names.
        tell: Sends a message: its kind, the worker, its values.
        is_there: Whether a worker still is, as far as is known.
        clock: The master's time in seconds, which workers plan by.
    """

    def __init__(
        self,
        settings: type[ReplaySettings],
        workers: Sequence[str],
        tell: Callable[[str, str, dict[str, Any]], None],
        is_there: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        self.workers = len(workers)
        self.failures: list[str] = []
        """Why it cannot begin, or go on."""
        self._settings, self._send, self._is_there, self._clock = settings, tell, is_there, clock
        self._salt = new_salt() if settings.sending.cache_salt else ""
        self._going = set(workers)
        self._ready: dict[str, dict[str, Any]] = {}
        self._whole = Share(0, 1)
        self._prepared: Prepared | None = None
        self._merging: Merging | None = None
        self._problems: list[str] = []
        self._gave_up = False
        for index, worker in enumerate(workers):
            self._tell(PREPARE, worker, index=index, of=self.workers, salt=self._salt)

    @property
    def left(self) -> set[str]:
        """Workers that go on."""
        return {each for each in self._going if self._is_there(each)}

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come."""
        return bool(self.failures) or not self.left

    def prepare(self) -> None:
        """Read and plan the trace; takes a while, so it may be called in a thread of its own. Then `start_if_ready`."""
        try:
            self._prepared = self._settings.prepared(self._whole)
        except WarmrouteError as error:
            self.failures.append(str(error))

    def hear(self, kind: str, worker: str, data: dict[str, Any]) -> None:
        """A worker has told something."""
        if kind == READY:
            self._ready[worker] = data
            self.start_if_ready()
        elif kind == ROWS and self._merging is not None:
            try:
                self._merging.add(data["rows"])
            except OSError as error:
                self.failures.append(str(unwritable(self._settings.folder_of(self.name), error)))
        elif kind == ENDED:
            self._going.discard(worker)
            self._gave_up = self._gave_up or data["gave_up"]
            self._problems += [f"{worker}: {problem}" for problem in data["problems"]]
            if data["error"]:
                self.failures.append(data["error"] if worker == LOCAL else f"{worker}: {data['error']}")

    def start_if_ready(self) -> None:
        """Tell the start, once the master and every worker have the same plan."""
        if self._prepared is None or len(self._ready) < self.workers:
            return
        plan = self._whole.planned, self._whole.fingerprint
        others = [name for name, data in self._ready.items() if (data["planned"], data["fingerprint"]) != plan]
        if others:
            self.failures.append(
                f"{', '.join(others)}: the plan differs from the master's. "
                "Give every machine the same trace, locustfile and version of warmroute."
            )
            return
        about = {
            **self._prepared.about,
            "target": self._settings.target().name,
            "connections": self._settings.connections,
            "cache_salt": self._salt,
            "workers": self.workers,
            "clock_uncertainty_seconds": max(data["uncertainty"] for data in self._ready.values()),
        }
        try:
            self._merging = Merging(self._prepared.schedule, self._settings.folder_of(self.name), about)
        except WarmrouteError as error:
            self.failures.append(str(error))
            return
        at = self._clock() + LEAD_SECONDS
        for worker in self._ready:
            self._tell(START, worker, at=at)

    def stop(self) -> None:
        """Tell the workers that still go to end; each tells once it has."""
        for worker in self._going:
            self._tell(STOP, worker)

    def end(self) -> Replayed | None:
        """Complete the record; None where nothing was sent, for the reasons in ``failures``.

        Raises:
            OSError: The disk is full, for one.
        """
        if self._merging is None:
            self.failures = self.failures or ["The replay was stopped before it began."]
            return None
        return self._merging.end(gave_up=self._gave_up, further_problems=[*self.failures, *self._problems])

    def _tell(self, kind: str, worker: str, **data: Any) -> None:
        self._send(kind, worker, {"run": self.name, **data})
