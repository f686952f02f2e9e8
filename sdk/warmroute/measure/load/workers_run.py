"""One run as a worker takes part in it, from the plan to the last row; how messages get about is Locust's affair."""

from __future__ import annotations

import asyncio
import contextlib
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from warmroute.measure.load.messages import ENDED, READY, ROWS
from warmroute.measure.load.share import Share
from warmroute.measure.replay.http.pool import Connections
from warmroute.measure.replay.journal import Journal, unwritable, values_of
from warmroute.measure.replay.open_loop import OpenLoop
from warmroute.measure.replay.summary import clock_problems

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from warmroute.measure.load.clock import Offset
    from warmroute.measure.load.settings import ReplaySettings
    from warmroute.measure.replay.open_loop import Exchange
    from warmroute.measure.replay.preparing import Prepared
    from warmroute.measure.replay.targets import Target
    from warmroute.measure.run import ReplayedRequest

    Connect = Callable[[Target, int], AbstractAsyncContextManager[Exchange]]

_ROWS_A_MESSAGE = 1_000


@asynccontextmanager
async def _over_http(target: Target, connections: int) -> AsyncIterator[Exchange]:
    async with Connections(target.server, connections) as connected:
        yield connected.exchange


class WorkersRun:
    """A worker's part of a run.

    Args:
        settings: What the locustfile says.
        data: What the master told with the word to prepare.
        tell: Sends a message to the master: its kind, its values.
        on_row: Told of each request that has ended.
    """

    def __init__(
        self,
        settings: type[ReplaySettings],
        data: dict[str, Any],
        tell: Callable[[str, dict[str, Any]], None],
        on_row: Callable[[ReplayedRequest], None],
    ) -> None:
        self._settings, self._send, self._on_row = settings, tell, on_row
        self._name, self._index, self._salt = data["run"], data["index"], data["salt"]
        self._share = Share(data["index"], data["of"])
        self._prepared: Prepared | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._start: asyncio.Future[float] | None = None
        self._rows: list[dict[str, Any]] = []
        self._journal: Journal | None = None
        self._gave_up = False
        self._problems: list[str] = []

    def prepare(self) -> None:
        """Read and plan the trace; takes a while, so it may be called in a thread of its own.

        Raises:
            WarmrouteError: The trace cannot be read or planned, or has nothing to send.
        """
        self._prepared = self._settings.prepared(self._share)

    def replay(self, offset: Offset) -> None:
        """Send the worker's share in an event loop, once the master has told the start, until the end or `stop`.

        Args:
            offset: From this machine's clock to the master's.

        Raises:
            WarmrouteError: The target has no credentials, or the folder cannot be written.
        """
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self.replay_async(offset))

    async def replay_async(self, offset: Offset, connect: Connect = _over_http) -> None:
        """As `replay`, in a running event loop; `stop` cancels it.

        Args:
            offset: From this machine's clock to the master's.
            connect: What requests are sent over, for a target and so many connections.

        Raises:
            WarmrouteError: The target has no credentials, or the folder cannot be written.
        """
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._start = self._loop.create_future()
        target = self._settings.target()
        await target.refresh()
        async with connect(target, self._settings.connections) as exchange:
            await self._replay_over(exchange, target, offset, self._start)

    def start(self, at: float) -> None:
        """The master has told the start. For any thread.

        Args:
            at: When, on the master's clock.
        """
        if self._loop is not None and self._start is not None:
            self._loop.call_soon_threadsafe(self._start.set_result, at)

    def stop(self) -> bool:
        """End early, a moment later. For any thread.

        Returns:
            Whether it has begun to replay; else whoever prepares it ends that.
        """
        if self._loop is None or self._task is None:
            return False
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)
        return True

    def send_rows(self) -> None:
        """Tell the master of the requests that have ended since the last time."""
        while self._rows:
            rows, self._rows = self._rows[:_ROWS_A_MESSAGE], self._rows[_ROWS_A_MESSAGE:]
            self._tell(ROWS, rows=rows)

    def end(self, error: str | None) -> None:
        """Tell the master the rest, and that this worker has ended.

        Args:
            error: Why it failed; None where it did not.
        """
        if self._journal is not None:
            self._journal.close(as_table=False)  # Heartbeats must go on.
        self.send_rows()
        self._tell(ENDED, error=error, gave_up=self._gave_up, problems=self._problems)

    async def _replay_over(
        self, exchange: Exchange, target: Target, offset: Offset, started: asyncio.Future[float]
    ) -> None:
        assert self._prepared is not None  # noqa: S101 - nothing is sent before it is planned.
        folder = self._settings.folder_of(self._name) / f"worker-{self._index}"
        self._journal = Journal(folder)
        plan = {"planned": self._share.planned, "fingerprint": self._share.fingerprint}
        self._tell(READY, **plan, uncertainty=offset.uncertainty_seconds)
        start = offset.here(await started)
        replay = OpenLoop(self._prepared.schedule, target, exchange, on_row=self._keep, salt=self._salt, start=start)
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
        self._on_row(row)

    def _tell(self, kind: str, **data: Any) -> None:
        self._send(kind, {"run": self._name, **data})
