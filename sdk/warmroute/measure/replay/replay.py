"""One run: a schedule sent to a target, recorded in a folder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.measure.replay.bodies import new_salt
from warmroute.measure.replay.http.pool import Connections
from warmroute.measure.replay.journal import unwritable
from warmroute.measure.replay.open_loop import OpenLoop
from warmroute.measure.replay.record import Record
from warmroute.measure.replay.rows import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warmroute.measure.replay.open_loop import Exchange
    from warmroute.measure.replay.record import Replayed
    from warmroute.measure.replay.rows import Place
    from warmroute.measure.replay.schedule import Schedule
    from warmroute.measure.replay.summary import Tally
    from warmroute.measure.replay.targets import Target

CONNECTIONS = 1_024
"""Connections that a run may have, unless told otherwise: more than requests in flight, on most fleets."""

_REPORT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    total: int
    ended: int
    in_flight: int
    failed: int
    ttft_p50_seconds: float
    """Of the latest 1,000 answers; NaN without any."""
    ttft_p90_seconds: float


class ReplayRun:
    """One run.

    Args:
        schedule: What is sent, and when.
        target: Where.
        folder: Where it is recorded; made if it is not there.
        connections: How many there are at most. A request beyond it waits, which counts as lag.
        cache_salt: Whether it gets a ``cache_salt`` of its own.
        place: Its arm, and where it stands in the experiment; in every row.
        largest_lag_seconds: P99 of the send lag above which it is invalid, instead of both usual limits.
        about: What else its record shall tell: the trace, the options, notes; values of JSON.
        on_progress: Told twice a second how far it has come.

    Raises:
        WarmrouteError: The folder holds a run, or cannot be written.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own.
        self,
        schedule: Schedule,
        target: Target,
        folder: Path,
        *,
        connections: int = CONNECTIONS,
        cache_salt: bool = True,
        place: Place = ALONE,
        largest_lag_seconds: float | None = None,
        about: dict[str, Any] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._schedule, self._target, self._connections = schedule, target, connections
        self._salt = new_salt() if cache_salt else ""
        self._place, self._largest_lag_seconds = place, largest_lag_seconds
        self._about = {**(about or {}), "target": target.name, "connections": connections, "cache_salt": self._salt}
        self._on_progress = on_progress
        self._folder = folder
        self.result: Replayed | None = None
        """What became of it, once it is over; also after Ctrl-C."""

    def run(self) -> Replayed:
        """Send everything and wait for the answers.

        Raises:
            WarmrouteError: The target cannot be reached, or has no credentials; the record cannot be written.
            KeyboardInterrupt: Ctrl-C stopped it; the record is complete, and says so.
        """
        return asyncio.run(self.run_async())

    async def run_async(self) -> Replayed:
        """As ``run``, in a running event loop; cancel it to stop early.

        Raises:
            WarmrouteError: The target cannot be reached, or has no credentials; the record cannot be written.
        """
        await self._target.refresh()
        async with Connections(self._target.server, self._connections) as connections:
            return await self.run_over(connections.exchange)

    async def run_over(self, exchange: Exchange) -> Replayed:
        """Run over something else than connections of HTTP.

        Args:
            exchange: Sends one request.

        Raises:
            WarmrouteError: The record cannot be written.
        """
        record = Record(self._folder, self._place, self._about)
        loop = OpenLoop(self._schedule, self._target, exchange, on_row=record.keep, salt=self._salt, place=self._place)
        reporting = asyncio.create_task(self._report(loop, record.tally))
        try:
            await loop.run()
        except OSError as error:
            raise unwritable(self._folder, error) from None
        finally:
            reporting.cancel()
            self.result = record.end(gave_up=loop.gave_up, largest_lag_seconds=self._largest_lag_seconds)
        return self.result

    async def _report(self, loop: OpenLoop, tally: Tally) -> None:
        while self._on_progress is not None:
            await asyncio.sleep(_REPORT_SECONDS)
            ttft = tally.recent_ttft()
            failed = tally.errors.total()
            self._on_progress(Progress(self._schedule.requests, tally.rows, loop.in_flight, failed, ttft.p50, ttft.p90))
