"""What the runs of an experiment send: parts of one trace, read again for each part and each seed that matters."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import Load, Schedule, SegmentBy, Sending, prepare
from warmroute.measure.replay.parts import Part, parts
from warmroute.measure.replay.planning import in_time
from warmroute.measure.replay.preparing import traffic_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PARTS = 20
"""Parts of a trace that are looked for, unless told otherwise: as many as there are pairs at most."""


_BEGINNING = Part(0, 0)
"""The only part, whose requests nobody has counted."""


class TraceSchedules:
    """Schedules from a trace.

    Args:
        paths: Files, directories, patterns or ``s3://`` URIs; read more than once.
        load: When requests are sent, and how long a run is; its seed is that of the first run.
        sending: What is sent.
        segment_by: What makes requests a segment.
        format: Of the trace, if it is not recognised.
        most_parts: Parts of a longer trace that pairs send in turn, at most; with 1 all send its beginning.

    Raises:
        WarmrouteError: Standard input, which cannot be read twice.
    """

    def __init__(
        self,
        paths: Sequence[str],
        load: Load,
        sending: Sending,
        *,
        segment_by: SegmentBy = SegmentBy.NONE,
        format: str | None = None,  # noqa: A002
        most_parts: int = MOST_PARTS,
    ) -> None:
        if "-" in paths:
            raise WarmrouteError("The trace is standard input, which can be read only once.", "Put it into a file.")
        self._paths, self._load, self._sending = tuple(paths), load, sending
        self._segment_by, self._format, self._most_parts = segment_by, format, most_parts
        self._depends_on_seed = True
        self._kept: dict[bool, tuple[int, Schedule]] = {}
        self._parts: Sequence[Part] = ()
        self._uneven = 0
        self._notes: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the trace, a sentence each; once ``about`` was asked."""
        return tuple(self._notes)

    def __call__(self, seed: int, *, chat_only: bool, turn: int = 0) -> Schedule:
        """The requests of a run; equal arguments give equal requests.

        Args:
            seed: Of times that are drawn.
            chat_only: Whether the target takes chats alone.
            turn: Which pair it is: the parts of the trace are sent in turn.

        Raises:
            WarmrouteError: The trace cannot be read or replayed.
        """
        found = self._found_parts()
        part = found[turn % len(found)].number
        kept = self._kept.get(chat_only)
        if kept is not None and kept[1].part == part and (kept[0] == seed or not self._depends_on_seed):
            return kept[1]
        prepared = prepare(
            self._paths,
            self._load.model_copy(update={"seed": seed, "part": part}),
            self._sending,
            chat_only=chat_only,
            input_format=self._format,
            segment_by=self._segment_by,
        )
        self._depends_on_seed = prepared.about["times_are_drawn"]
        self._kept[chat_only] = seed, prepared.schedule
        self._notes = self._notes or [*prepared.about["notes"], *self._of_parts()]
        return prepared.schedule

    def about(self, *, chat_only: bool) -> dict[str, Any]:
        """The trace as a manifest tells of it, by digests and numbers.

        Args:
            chat_only: As the baseline takes it.
        """
        schedule = self(self._load.seed, chat_only=chat_only)
        found = self._parts if len(self._parts) > 1 else [Part(0, schedule.requests)]
        return {
            "files": [{"name": path, "sha256": _sha256(Path(path))} for path in self._paths],
            "requests": schedule.requests,
            "seconds": schedule.last_planned_seconds,
            "requests_sha256": schedule.sha256,
            "parts": [part._asdict() for part in found],
        }

    def _found_parts(self) -> Sequence[Part]:
        """The parts that are sent in turn: the beginning alone where that is the whole trace, or all that is wanted."""
        is_whole = self._load.duration_seconds is None and self._load.requests is None
        if not self._parts and (is_whole or self._most_parts == 1):
            self._parts = (_BEGINNING,)
        elif not self._parts:
            whole = in_time(traffic_of(self._paths, self._sending, self._format), self._load, Counter())
            self._parts, self._uneven = parts(whole, self._load, self._most_parts)
        return self._parts

    def _of_parts(self) -> list[str]:
        """How the trace is parted, in sentences."""
        notes = []
        if len(self._parts) > 1:
            notes.append(f"The trace has {len(self._parts)} parts of the length of a run; pairs send them in turn.")
        if self._uneven:
            few = "they have less than half of the usual number of requests"
            notes.append(f"Parts of the trace that are not sent: {self._uneven}; {few}.")
        return notes


def _sha256(file: Path) -> str | None:
    """Of a file on this machine; None for anything else, which the digest of the requests stands for."""
    if not file.is_file():
        return None
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
