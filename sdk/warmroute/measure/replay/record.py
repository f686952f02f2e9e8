"""What is kept of a run: a row for each request, and a document beside them that tells of the run."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.measure.replay.journal import RUN, Journal, unwritable
from warmroute.measure.replay.rows import LOST, NOT_SENT
from warmroute.measure.replay.summary import Tally, clock_problems

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from warmroute.measure.replay.rows import Place
    from warmroute.measure.replay.summary import ReplaySummary
    from warmroute.measure.run import ReplayedRequest

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run that is over, complete or not."""

    started: datetime
    duration_seconds: float
    requests: Path
    """The file with a row for each request."""
    summary: ReplaySummary


class Record:
    """The record of one run, in a folder of its own, from its beginning on.

    Args:
        folder: Made if it is not there.
        place: Where the run stands in an experiment.
        about: What else the document shall tell; values of JSON.

    Raises:
        WarmrouteError: The folder holds a run, or cannot be written.
    """

    def __init__(self, folder: Path, place: Place, about: dict[str, Any]) -> None:
        self._journal = Journal(folder)
        self._folder, self._place, self._about = folder, place, about
        self.tally = Tally()
        self._started = datetime.now(UTC)
        self._write(complete=False)
        self._clocks = time.time(), time.monotonic()

    def keep(self, row: ReplayedRequest) -> None:
        """Add the row of a request.

        Raises:
            OSError: The disk is full, for one.
        """
        self.tally.add(row)
        self._journal.write(row)

    def end(
        self,
        *,
        gave_up: bool,
        further_problems: Iterable[str] = (),
        largest_lag_seconds: float | None = None,
    ) -> Replayed:
        """The run is over, and has a row for each request.

        Args:
            gave_up: Whether it ended early, since every answer was a refusal.
            further_problems: What else makes it invalid.
            largest_lag_seconds: P99 of the send lag above which it is invalid, instead of both usual limits.
        """
        wall, monotonic = time.time() - self._clocks[0], time.monotonic() - self._clocks[1]
        problems = [*clock_problems(wall, monotonic), *further_problems]
        if gave_up:
            problems.append("It was given up, since every answer was a refusal.")
        elif unsent := self.tally.errors[NOT_SENT]:
            problems.append(f"It was stopped before its end: {unsent:,} requests were not sent.")
        if lost := self.tally.errors[LOST]:
            problems.append(f"A worker was lost: of {lost:,} requests nobody knows what became.")
        summary = self.tally.summary(further_problems=problems, largest_lag_seconds=largest_lag_seconds)
        replayed = Replayed(self._started, monotonic, self._journal.close(), summary)
        self._write(complete=summary.complete and not gave_up, result=replayed)
        return replayed

    def _write(self, *, complete: bool, result: Replayed | None = None) -> None:
        record: dict[str, Any] = {
            "format": _FORMAT,
            **self._place._asdict(),
            "started": self._started.isoformat(),
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
