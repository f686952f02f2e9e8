"""A worker: sends its share of the trace, in an event loop of its own beside Locust's users."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

import gevent
from gevent.event import AsyncResult

from warmroute.errors import WarmrouteError
from warmroute.measure.load.clock import Reading, offset_of
from warmroute.measure.load.messages import CLOCK, CLOCK_IS, ENDED, PREPARE, READY, ROWS, START, STOP, listen
from warmroute.measure.load.share import Share
from warmroute.measure.replay.http.pool import Connections
from warmroute.measure.replay.journal import Journal, unwritable, values_of
from warmroute.measure.replay.open_loop import OpenLoop
from warmroute.measure.replay.summary import clock_problems

if TYPE_CHECKING:
    from warmroute.measure.load.clock import Offset
    from warmroute.measure.load.user import ReplayUser
    from warmroute.measure.replay.preparing import Prepared
    from warmroute.measure.run import ReplayedRequest

_READINGS = 16
_CLOCK_SECONDS = 10.0
_REPORT_SECONDS = 1.0
_ROWS_A_MESSAGE = 1_000


class Worker:
    """What a Locust worker does for the replay.

    Args:
        environment: Locust's.
        user: The class of the locustfile.
    """

    def __init__(self, environment: Any, user: type[ReplayUser]) -> None:
        self._environment, self._user = environment, user
        self._run: _Run | None = None
        runner = environment.runner
        listen(runner, PREPARE, self._prepare)
        for kind in (CLOCK_IS, START, STOP):
            listen(runner, kind, lambda _, data, kind=kind: self._hear(kind, data))  # type: ignore[misc]
        # Both come before Locust tells the master that this worker is gone.
        environment.events.test_stopping.add_listener(self._end)
        environment.events.quitting.add_listener(self._end)

    def _prepare(self, _: str, data: dict[str, Any]) -> None:
        self._run = _Run(self._environment, self._user, data)

    def _hear(self, kind: str, data: dict[str, Any]) -> None:
        if self._run is not None:
            self._run.hear(kind, data)

    def _end(self, **_: object) -> None:
        if self._run is not None:
            self._run.stop()
            self._run.greenlet.join()


class _Run:
    """One run, from the master's word to the report of its end."""

    def __init__(self, environment: Any, user: type[ReplayUser], data: dict[str, Any]) -> None:
        self._environment, self._user = environment, user
        self._name, self._index, self._of, self._salt = data["run"], data["index"], data["of"], data["salt"]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._start: asyncio.Future[float] | None = None
        self._told: AsyncResult[dict[str, Any]] = AsyncResult()
        self._rows: list[dict[str, Any]] = []
        self._journal: Journal | None = None
        self._gave_up = False
        self._problems: list[str] = []
        self.greenlet = gevent.spawn(self._work)

    def hear(self, kind: str, data: dict[str, Any]) -> None:
        """The master has told something."""
        if kind == CLOCK_IS:
            self._told.set(data)
        elif kind == STOP:
            self.stop()
        elif self._loop is not None and self._start is not None:
            self._loop.call_soon_threadsafe(self._start.set_result, data["at"])

    def stop(self) -> None:
        """End early; the run's greenlet ends a moment later."""
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)
        elif self._loop is None:
            self.greenlet.kill(block=False)

    def _work(self) -> None:
        error: str | None = "It failed; its log tells why."
        reporting = gevent.spawn(self._report)
        try:
            share = Share(self._index, self._of)
            # In a thread of the system: it takes a while, and Locust's master must go on hearing of this worker.
            prepared = gevent.get_hub().threadpool.apply(self._user.prepared, (share,))
            offset = self._agree_on_clock()
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(self._replay(prepared, share, offset))
            error = None
        except gevent.GreenletExit:
            error = None
        except WarmrouteError as refused:
            error = str(refused)
        finally:
            reporting.kill()
            if self._journal is not None:
                self._journal.close(as_table=False)  # Heartbeats must go on.
            self._send_rows()
            self._tell(ENDED, error=error, gave_up=self._gave_up, problems=self._problems)

    async def _replay(self, prepared: Prepared, share: Share, offset: Offset) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._start = self._loop.create_future()
        folder = self._user.folder_of(self._name) / f"worker-{self._index}"
        target = self._user.target()
        await target.refresh()
        async with Connections(target.server, self._user.connections) as connections:
            self._journal = Journal(folder)
            self._tell(
                READY, planned=share.planned, fingerprint=share.fingerprint, uncertainty=offset.uncertainty_seconds
            )
            start = offset.here(await self._start)
            replay = OpenLoop(
                prepared.schedule, target, connections.exchange, on_row=self._keep, salt=self._salt, start=start
            )
            clocks = time.time(), time.monotonic()
            try:
                await replay.run()
            except OSError as error:
                raise unwritable(folder, error) from None
            finally:
                self._gave_up = replay.gave_up
                self._problems += clock_problems(time.time() - clocks[0], time.monotonic() - clocks[1])

    def _keep(self, row: ReplayedRequest) -> None:
        assert self._journal is not None  # noqa: S101 - made before the run.
        self._journal.write(row)
        self._rows.append(values_of(row))
        if row.sent_seconds == row.sent_seconds:
            self._environment.events.request.fire(
                request_type="replay",
                name="time to first token",
                response_time=None if row.error else 1e3 * row.ttft_seconds,
                response_length=row.output_tokens or 0,
                exception=RuntimeError(row.error) if row.error else None,
                context={},
            )

    def _agree_on_clock(self) -> Offset:
        """The master's clock, asked often enough that one answer is fast."""
        readings = []
        for _ in range(_READINGS):
            self._told = AsyncResult()
            self._tell(CLOCK, asked=time.monotonic())
            try:
                told = self._told.get(timeout=_CLOCK_SECONDS)
            except gevent.Timeout:
                raise WarmrouteError(f"The master did not tell its time within {_CLOCK_SECONDS:.0f} s.") from None
            readings.append(Reading(told["asked"], told["told"], time.monotonic()))
        return offset_of(readings)

    def _report(self) -> None:
        while True:
            gevent.sleep(_REPORT_SECONDS)
            self._send_rows()

    def _send_rows(self) -> None:
        while self._rows:
            rows, self._rows = self._rows[:_ROWS_A_MESSAGE], self._rows[_ROWS_A_MESSAGE:]
            self._tell(ROWS, rows=rows)

    def _tell(self, kind: str, **data: Any) -> None:
        self._environment.runner.send_message(kind, {"run": self._name, **data})
