"""The master: shares the trace out, chooses the start, and merges what the workers report."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import gevent
from locust import LoadTestShape

from warmroute.measure.load.masters_run import LOCAL, MastersRun
from warmroute.measure.load.messages import CLOCK, CLOCK_IS, ENDED, READY, ROWS, listen
from warmroute.measure.load.thread import in_thread

if TYPE_CHECKING:
    from warmroute.measure.load.user import ReplayUser
    from warmroute.measure.replay.record import Replayed

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
        self._run: MastersRun | None = None
        self._preparing: Any = None
        self._is_ending = False
        for kind in (READY, ROWS, ENDED):
            listen(self._runner, kind, lambda sender, data, kind=kind: self._hear(kind, sender, data))  # type: ignore[misc]
        listen(self._runner, CLOCK, self._tell_time)
        environment.events.test_start.add_listener(self._begin)
        environment.events.test_stopping.add_listener(self._end)

    def tick(self) -> tuple[int, float] | None:
        """How many users there shall be; None once the replay is over. Called by Locust every second."""
        if self._run is None:
            return (self._runner.worker_count,) * 2 if self._runner.worker_count else None
        is_news = self._run.is_over and not self._is_ending
        return None if is_news else (self._run.workers, self._run.workers)

    def _begin(self, **_: object) -> None:
        clients = getattr(self._runner, "clients", None)
        workers = [LOCAL] if clients is None else [each.id for each in clients.ready]
        run = self._run = MastersRun(self._user, workers, self._tell, self._is_there)
        self._preparing = gevent.spawn(self._prepare, run)

    @staticmethod
    def _prepare(run: MastersRun) -> None:
        in_thread(run.prepare)
        run.start_if_ready()

    def _tell(self, kind: str, worker: str, data: dict[str, Any]) -> None:
        self._runner.send_message(kind, data, worker)

    def _is_there(self, worker: str) -> bool:
        clients = getattr(self._runner, "clients", None)
        return clients is None or (worker in clients and clients[worker].state != "missing")

    def _hear(self, kind: str, sender: str, data: dict[str, Any]) -> None:
        if self._run is not None and data["run"] == self._run.name:
            self._run.hear(kind, sender, data)

    def _tell_time(self, sender: str, data: dict[str, Any]) -> None:
        self._runner.send_message(CLOCK_IS, {"asked": data["asked"], "told": time.monotonic()}, sender)

    def _end(self, **_: object) -> None:
        if self._run is None or self._is_ending:
            return
        run, self._is_ending = self._run, True
        run.stop()
        deadline = time.monotonic() + END_SECONDS
        while run.left and time.monotonic() < deadline:
            gevent.sleep(0.05)
        self._preparing.kill()
        replayed = in_thread(run.end)
        if replayed is None:
            for failure in dict.fromkeys(run.failures):
                _log.error(failure)
        else:
            _tell_result(replayed)
        self._environment.process_exit_code = 0 if replayed is not None and not replayed.summary.problems else 1
        self._run, self._is_ending = None, False


def _tell_result(replayed: Replayed) -> None:
    summary = replayed.summary
    _log.info("%s answered, %s not; rows: %s", summary.answered, summary.planned - summary.answered, replayed.requests)
    _log.info("send lag: P50 %.1f ms, P99 %.1f ms", 1e3 * summary.send_lag.p50, 1e3 * summary.send_lag.p99)
    for problem in summary.problems:
        _log.error("not valid: %s", problem)
