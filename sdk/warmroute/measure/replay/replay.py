"""One run: a schedule sent to a target, recorded in a folder."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.measure.replay.http.pool import Connections
from warmroute.measure.replay.journal import RUN, Journal, unwritable
from warmroute.measure.replay.open_loop import OpenLoop
from warmroute.measure.replay.rows import ALONE, NOT_SENT
from warmroute.measure.replay.summary import Tally, clock_problems

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warmroute.measure.replay.open_loop import Exchange
    from warmroute.measure.replay.rows import Place
    from warmroute.measure.replay.schedule import Schedule
    from warmroute.measure.replay.summary import ReplaySummary
    from warmroute.measure.replay.targets import Target
    from warmroute.measure.run import ReplayedRequest

CONNECTIONS = 1_024
"""Connections that a run may have, unless told otherwise: more than requests in flight, on most fleets."""

_REPORT_SECONDS = 0.5
_FORMAT = 1


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


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run that is over, complete or not."""

    started: datetime
    duration_seconds: float
    requests: Path
    """The file with a row for each request."""
    summary: ReplaySummary


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
        self._salt = f"warmroute-{secrets.token_hex(8)}" if cache_salt else ""
        self._place, self._largest_lag_seconds = place, largest_lag_seconds
        self._about = {**(about or {}), "target": target.name, "connections": connections, "cache_salt": self._salt}
        self._on_progress = on_progress
        self._folder = folder
        self._tally = Tally()
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
        journal = Journal(self._folder)
        started = datetime.now(UTC)

        def keep(row: ReplayedRequest) -> None:
            self._tally.add(row)
            journal.write(row)

        loop = OpenLoop(self._schedule, self._target, exchange, on_row=keep, salt=self._salt, place=self._place)
        self._record(started, complete=False)
        clocks = time.time(), time.monotonic()
        reporting = asyncio.create_task(self._report(loop))
        try:
            await loop.run()
        except OSError as error:
            raise unwritable(self._folder, error) from None
        finally:
            reporting.cancel()
            wall, monotonic = time.time() - clocks[0], time.monotonic() - clocks[1]
            problems = clock_problems(wall, monotonic)
            if loop.gave_up:
                problems.append("It was given up, since every answer was a refusal.")
            elif unsent := self._tally.errors[NOT_SENT]:
                problems.append(f"It was stopped before its end: {unsent:,} requests were not sent.")
            summary = self._tally.summary(further_problems=problems, largest_lag_seconds=self._largest_lag_seconds)
            self.result = Replayed(started, monotonic, journal.close(), summary)
            self._record(started, complete=summary.complete and not loop.gave_up, result=self.result)
        return self.result

    async def _report(self, loop: OpenLoop) -> None:
        while self._on_progress is not None:
            await asyncio.sleep(_REPORT_SECONDS)
            ttft = self._tally.recent_ttft()
            failed = self._tally.errors.total()
            self._on_progress(
                Progress(self._schedule.requests, self._tally.rows, loop.in_flight, failed, ttft.p50, ttft.p90)
            )

    def _record(self, started: datetime, *, complete: bool, result: Replayed | None = None) -> None:
        """Write what is known of the run beside its rows."""
        record: dict[str, Any] = {
            "format": _FORMAT,
            **self._place._asdict(),
            "started": started.isoformat(),
            "complete": complete,
            "valid": bool(result) and not (result and result.summary.problems),
            **self._about,
        }
        if result is not None:
            record |= {
                "duration_seconds": result.duration_seconds,
                "requests": result.requests.name,
                **asdict(result.summary),
            }
        unfinished = self._folder / f".{RUN}"
        try:
            unfinished.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
            unfinished.replace(self._folder / RUN)
        except OSError as error:
            if result is None:
                raise unwritable(self._folder, error) from None
            # On a full disk the record of the beginning stays, which says that the run is not complete.
