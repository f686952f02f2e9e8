"""The rows of all workers, merged into the record of one run: one row for each request of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.measure.replay.record import Record
from warmroute.measure.replay.rows import ALONE, LOST, unsent_row
from warmroute.measure.run import ReplayedRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from warmroute.measure.replay.record import Replayed
    from warmroute.measure.replay.schedule import Schedule


class Merging:
    """One run of several workers.

    Args:
        schedule: The whole plan.
        folder: Where it is recorded; made if it is not there.
        about: What the record shall tell besides; values of JSON.

    Raises:
        WarmrouteError: The folder holds a run, or cannot be written.
    """

    def __init__(self, schedule: Schedule, folder: Path, about: dict[str, Any]) -> None:
        self._schedule = schedule
        self._has_row = bytearray(schedule.requests)
        self._record = Record(folder, ALONE, about)
        self._doubles = 0

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take rows of a worker; a request that has one already keeps it.

        Raises:
            OSError: The disk is full, for one.
        """
        for values in rows:
            row = ReplayedRequest(**values)
            if self._has_row[row.index]:
                self._doubles += 1
                continue
            self._has_row[row.index] = 1
            self._record.keep(row)

    def end(self, *, gave_up: bool = False, further_problems: Iterable[str] = ()) -> Replayed:
        """All workers have ended, or are lost; their requests have no row then, and get one that says so.

        Args:
            gave_up: Whether a worker met nothing but refusals.
            further_problems: What else makes the run invalid.

        Raises:
            OSError: The disk is full, for one.
        """
        if not all(self._has_row):
            for request in self._schedule:
                if not self._has_row[request.number]:
                    self._record.keep(unsent_row(request, request.planned_seconds, ALONE, LOST))
        problems = [*further_problems]
        if self._doubles:
            problems.append(f"{self._doubles:,} requests were sent twice.")
        return self._record.end(gave_up=gave_up, further_problems=problems)
