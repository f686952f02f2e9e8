"""A worker: sends its share of the trace, in an event loop of its own beside Locust's users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gevent
from gevent.event import AsyncResult

from warmroute.errors import WarmrouteError
from warmroute.measure.load.clock import agreed
from warmroute.measure.load.messages import CLOCK, CLOCK_IS, PREPARE, START, STOP, listen
from warmroute.measure.load.thread import in_thread
from warmroute.measure.load.workers_run import WorkersRun

if TYPE_CHECKING:
    from warmroute.measure.load.user import ReplayUser
    from warmroute.measure.run import ReplayedRequest

_CLOCK_SECONDS = 10.0
_REPORT_SECONDS = 1.0


class Worker:
    """What a Locust worker does for the replay.

    Args:
        environment: Locust's.
        user: The class of the locustfile.
    """

    def __init__(self, environment: Any, user: type[ReplayUser]) -> None:
        self._environment, self._user = environment, user
        self._working: _Working | None = None
        runner = environment.runner
        listen(runner, PREPARE, self._prepare)
        for kind in (CLOCK_IS, START, STOP):
            listen(runner, kind, lambda _, data, kind=kind: self._hear(kind, data))  # type: ignore[misc]
        # Both come before Locust tells the master that this worker is gone.
        environment.events.test_stopping.add_listener(self._end)
        environment.events.quitting.add_listener(self._end)

    def _prepare(self, _: str, data: dict[str, Any]) -> None:
        self._working = _Working(self._environment, self._user, data)

    def _hear(self, kind: str, data: dict[str, Any]) -> None:
        if self._working is not None:
            self._working.hear(kind, data)

    def _end(self, **_: object) -> None:
        if self._working is not None:
            self._working.stop()
            self._working.greenlet.join()


class _Working:
    """A greenlet for one run, from the master's word to the report of its end."""

    def __init__(self, environment: Any, user: type[ReplayUser], data: dict[str, Any]) -> None:
        self._environment = environment
        self._name = data["run"]
        self._run = WorkersRun(user, data, environment.runner.send_message, self._show)
        self._told: AsyncResult[dict[str, Any]] = AsyncResult()
        self.greenlet = gevent.spawn(self._work)

    def hear(self, kind: str, data: dict[str, Any]) -> None:
        """The master has told something."""
        if kind == CLOCK_IS:
            self._told.set(data)
        elif kind == STOP:
            self.stop()
        else:
            self._run.start(data["at"])

    def stop(self) -> None:
        """End early; the run's greenlet ends a moment later."""
        if not self._run.stop():
            self.greenlet.kill(block=False)

    def _work(self) -> None:
        error: str | None = "It failed; its log tells why."
        reporting = gevent.spawn(self._report)
        try:
            in_thread(self._run.prepare)
            self._run.replay(agreed(self._masters_time))
            error = None
        except gevent.GreenletExit:
            error = None
        except WarmrouteError as refused:
            error = str(refused)
        finally:
            reporting.kill()
            self._run.end(error)

    def _masters_time(self, asked: float) -> float:
        self._told = AsyncResult()
        self._environment.runner.send_message(CLOCK, {"run": self._name, "asked": asked})
        try:
            return float(self._told.get(timeout=_CLOCK_SECONDS)["told"])
        except gevent.Timeout:
            raise WarmrouteError(f"The master did not tell its time within {_CLOCK_SECONDS:.0f} s.") from None

    def _report(self) -> None:
        while True:
            gevent.sleep(_REPORT_SECONDS)
            self._run.send_rows()

    def _show(self, row: ReplayedRequest) -> None:
        """Have a request that was sent counted in Locust's table."""
        if row.sent_seconds == row.sent_seconds:
            self._environment.events.request.fire(
                request_type="replay",
                name="time to first token",
                response_time=None if row.error else 1e3 * row.ttft_seconds,
                response_length=row.output_tokens or 0,
                exception=RuntimeError(row.error) if row.error else None,
                context={},
            )
