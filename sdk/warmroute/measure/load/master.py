"""The master: shares the trace out, chooses the start, and merges what the workers report."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import gevent
from locust import LoadTestShape

from warmroute.errors import WarmrouteError
from warmroute.measure.load.merging import Merging
from warmroute.measure.load.messages import CLOCK, CLOCK_IS, ENDED, PREPARE, READY, ROWS, START, STOP, listen
from warmroute.measure.load.share import Share
from warmroute.measure.replay.bodies import new_salt
from warmroute.measure.replay.journal import unwritable

if TYPE_CHECKING:
    from warmroute.measure.load.user import ReplayUser
    from warmroute.measure.replay.preparing import Prepared
    from warmroute.measure.replay.record import Replayed

LEAD_SECONDS = 1.0
"""From the word to begin to the beginning: time for the slowest message, and for connections to be made."""

END_SECONDS = 20.0
"""How long a stopped worker may take to report its end."""

_log = logging.getLogger(__name__)


class Master(LoadTestShape):
    """What Locust's master does for the replay; to Locust, the shape of its load: a user a worker, until the end.

    Args:
        environment: Locust's.
        user: The class of the locustfile.
    """

    abstract = True

    def __init__(self, environment: Any, user: type[ReplayUser]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._environment, self._user, self._runner = environment, user, environment.runner
        self._run: _Run | None = None
        for kind in (READY, ROWS, ENDED):
            listen(self._runner, kind, lambda sender, data, kind=kind: self._hear(kind, sender, data))  # type: ignore[misc]
        listen(self._runner, CLOCK, self._tell_time)
        environment.events.test_start.add_listener(self._begin)
        environment.events.test_stopping.add_listener(self._end)

    def tick(self) -> tuple[int, float] | None:
        """How many users there shall be; None once the replay is over. Called by Locust every second."""
        if self._run is None:
            return (self._runner.worker_count,) * 2 if self._runner.worker_count else None
        return None if self._run.is_over else (self._run.workers, self._run.workers)

    def _begin(self, **_: object) -> None:
        clients = getattr(self._runner, "clients", None)
        workers = ["local"] if clients is None else [each.id for each in clients.ready]
        self._run = _Run(self._environment, self._user, workers)

    def _hear(self, kind: str, sender: str, data: dict[str, Any]) -> None:
        if self._run is not None and data["run"] == self._run.name:
            self._run.hear(kind, sender, data)

    def _tell_time(self, sender: str, data: dict[str, Any]) -> None:
        self._runner.send_message(CLOCK_IS, {"asked": data["asked"], "told": time.monotonic()}, sender)

    def _end(self, **_: object) -> None:
        if self._run is not None and not self._run.is_ending:
            self._run.end()
            self._run = None


class _Run:
    """One run, from Locust's start to the record."""

    def __init__(self, environment: Any, user: type[ReplayUser], workers: list[str]) -> None:
        self._environment, self._user = environment, user
        self.name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        self._salt = new_salt() if user.sending.cache_salt else ""
        self._going = set(workers)
        self._ready: dict[str, dict[str, Any]] = {}
        self._whole = Share(0, 1)
        self._prepared: Prepared | None = None
        self._merging: Merging | None = None
        self._failures: list[str] = []
        self._problems: list[str] = []
        self._gave_up = False
        self.workers = len(workers)
        self.is_ending = False
        for index, worker in enumerate(workers):
            self._tell(PREPARE, worker, index=index, of=self.workers, salt=self._salt)
        self._preparing = gevent.spawn(self._prepare)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to come, and nobody has noticed yet."""
        return not self.is_ending and (bool(self._failures) or not self._left())

    def hear(self, kind: str, worker: str, data: dict[str, Any]) -> None:
        """A worker has told something."""
        if kind == READY:
            self._ready[worker] = data
            self._start_if_all_are_ready()
        elif kind == ROWS and self._merging is not None:
            try:
                self._merging.add(data["rows"])
            except OSError as error:
                self._failures.append(str(unwritable(self._user.folder_of(self.name), error)))
        elif kind == ENDED:
            self._going.discard(worker)
            self._gave_up = self._gave_up or data["gave_up"]
            self._problems += [f"{worker}: {problem}" for problem in data["problems"]]
            if data["error"]:
                self._failures.append(f"{worker}: {data['error']}")

    def end(self) -> None:
        """Stop what still goes, and complete the record."""
        self.is_ending = True
        if self._going:
            for worker in self._going:
                self._tell(STOP, worker)
            deadline = time.monotonic() + END_SECONDS
            while self._left() and time.monotonic() < deadline:
                gevent.sleep(0.05)
        self._preparing.kill()
        if self._merging is not None:
            problems = [*self._failures, *self._problems]
            self._tell_result(
                gevent.get_hub().threadpool.apply(
                    self._merging.end, kwds={"gave_up": self._gave_up, "further_problems": problems}
                )
            )
            return
        for failure in self._failures or ["The replay was stopped before it began."]:
            _log.error(failure)
        self._environment.process_exit_code = 1

    def _prepare(self) -> None:
        try:
            self._prepared = gevent.get_hub().threadpool.apply(self._user.prepared, (self._whole,))
        except WarmrouteError as error:
            self._failures.append(str(error))
        self._start_if_all_are_ready()

    def _start_if_all_are_ready(self) -> None:
        if self._prepared is None or len(self._ready) < self.workers:
            return
        plan = self._whole.planned, self._whole.fingerprint
        others = [name for name, data in self._ready.items() if (data["planned"], data["fingerprint"]) != plan]
        if others:
            self._failures.append(
                f"{', '.join(others)}: the plan differs from the master's. "
                "Give every machine the same trace, locustfile and version of warmroute."
            )
            return
        about = {
            **self._prepared.about,
            "target": self._user.target().name,
            "connections": self._user.connections,
            "cache_salt": self._salt,
            "workers": self.workers,
            "clock_uncertainty_seconds": max(data["uncertainty"] for data in self._ready.values()),
        }
        try:
            self._merging = Merging(self._prepared.schedule, self._user.folder_of(self.name), about)
        except WarmrouteError as error:
            self._failures.append(str(error))
            return
        at = time.monotonic() + LEAD_SECONDS
        for worker in self._ready:
            self._tell(START, worker, at=at)

    def _left(self) -> set[str]:
        """Workers that go on, as far as Locust knows."""
        clients = getattr(self._environment.runner, "clients", None)
        if clients is None:
            return self._going
        return {each for each in self._going if each in clients and clients[each].state != "missing"}

    def _tell(self, kind: str, worker: str, **data: Any) -> None:
        self._environment.runner.send_message(kind, {"run": self.name, **data}, worker)

    def _tell_result(self, replayed: Replayed) -> None:
        summary = replayed.summary
        _log.info(
            "%s answered, %s not; rows: %s", summary.answered, summary.planned - summary.answered, replayed.requests
        )
        _log.info("send lag: P50 %.1f ms, P99 %.1f ms", 1e3 * summary.send_lag.p50, 1e3 * summary.send_lag.p99)
        for problem in summary.problems:
            _log.error("not valid: %s", problem)
        self._environment.process_exit_code = 1 if summary.problems else 0
