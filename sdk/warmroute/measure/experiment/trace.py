"""What the runs of an experiment send: one trace, read again for each seed that makes a difference."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import Bodies, Load, Schedule, SegmentBy, Sending, planned
from warmroute.measure.replay.planning import PLACED_AT_RANDOM
from warmroute.traffic import Rejects, read_traffic

if TYPE_CHECKING:
    from collections.abc import Sequence


class TraceSchedules:
    """Schedules from a trace.

    Args:
        paths: Files, directories, patterns or ``s3://`` URIs; read more than once.
        load: When requests are sent; its seed is that of the first run.
        sending: What is sent.
        segment_by: What makes requests a segment.
        format: Of the trace, if it is not recognised.

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
    ) -> None:
        if "-" in paths:
            raise WarmrouteError("The trace is standard input, which can be read only once.", "Put it into a file.")
        self._paths, self._load, self._sending = tuple(paths), load, sending
        self._segment_by, self._format = segment_by, format
        self._depends_on_seed = load.rate is not None
        self._kept: dict[bool, tuple[int, Schedule]] = {}
        self.notes: tuple[str, ...] = ()
        """What was done to the trace, a sentence each; once a schedule was made."""

    def __call__(self, seed: int, *, chat_only: bool) -> Schedule:
        """The requests of a run; equal seeds give equal requests.

        Raises:
            WarmrouteError: The trace cannot be read or replayed.
        """
        kept = self._kept.get(chat_only)
        if kept is not None and (kept[0] == seed or not self._depends_on_seed):
            return kept[1]
        bodies, rejects = Bodies(self._sending, chat_only=chat_only), Rejects()
        canonical = self._sending.bodies == "canonical"
        found = read_traffic(
            self._paths,
            format=self._format,
            bodies="canonical" if canonical else "recorded_or_canonical",
            rejects=rejects,
        )
        load = self._load.model_copy(update={"seed": seed})
        schedule = Schedule(planned(found, load, bodies, segment_by=self._segment_by))
        self._depends_on_seed = self._depends_on_seed or bool(bodies.notes[PLACED_AT_RANDOM])
        self._kept[chat_only] = seed, schedule
        done = (f"{count:,} requests were {what}." for what, count in bodies.notes.items() if count)
        self.notes = (*rejects.summary(), *done)
        return schedule

    def about(self, *, chat_only: bool) -> dict[str, Any]:
        """The trace as a manifest tells of it, by digests and numbers.

        Args:
            chat_only: As the baseline takes it.
        """
        schedule = self(self._load.seed, chat_only=chat_only)
        return {
            "files": [{"name": path, "sha256": _sha256(Path(path))} for path in self._paths],
            "requests": schedule.requests,
            "seconds": schedule.last_planned_seconds,
            "requests_sha256": schedule.sha256,
        }


def _sha256(file: Path) -> str | None:
    """Of a file on this machine; None for anything else, which the digest of the requests stands for."""
    if not file.is_file():
        return None
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
