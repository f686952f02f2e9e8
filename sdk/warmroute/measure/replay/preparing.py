"""A replay made ready: what its trace has to send, and what the record of the run shall tell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.measure.replay.bodies import Bodies
from warmroute.measure.replay.planning import PLACED_AT_RANDOM, planned
from warmroute.measure.replay.schedule import Schedule
from warmroute.measure.segmenting import SegmentBy
from warmroute.traffic import Rejects, read_traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from warmroute.measure.replay.options import Load, Sending
    from warmroute.measure.replay.planning import Planned
    from warmroute.traffic import TrafficRequest


class Prepared(NamedTuple):
    """A schedule, and its story."""

    schedule: Schedule
    about: dict[str, Any]
    """The trace, the options, whether another seed gives other times, and ``notes`` on what could not be sent as
    recorded; values of JSON."""


def prepare(
    trace: Sequence[str],
    load: Load,
    sending: Sending,
    *,
    chat_only: bool,
    input_format: str | None = None,
    segment_by: SegmentBy = SegmentBy.NONE,
    share: Callable[[Iterable[Planned]], Iterable[Planned]] | None = None,
) -> Prepared:
    """Read a trace and plan its requests.

    Args:
        trace: Files, folders, patterns or ``s3://`` URIs.
        load: When requests are sent, and how many.
        sending: What is sent.
        chat_only: Whether the target takes chats alone.
        input_format: That of the trace, if it is not recognised.
        segment_by: What makes requests a segment.
        share: Chooses among the planned requests, perhaps none.

    Raises:
        WarmrouteError: The trace cannot be read or planned, or has nothing to send.
    """
    bodies, rejects = Bodies(sending, chat_only=chat_only), Rejects()
    found = traffic_of(trace, sending, input_format, rejects)
    whole = planned(found, load, bodies, segment_by=segment_by)
    chosen = whole if share is None else share(whole)
    schedule = Schedule(chosen, part=load.part, may_be_empty=share is not None)
    notes = [f"{count:,} requests were {what}." for what, count in bodies.notes.items() if count]
    about = {
        "trace": list(trace),
        "load": load.model_dump(),
        "sending": sending.model_dump(),
        "times_are_drawn": load.rate is not None or bodies.notes[PLACED_AT_RANDOM] > 0,
        "notes": [*rejects.summary(), *notes],
    }
    return Prepared(schedule, about)


def traffic_of(
    trace: Sequence[str], sending: Sending, input_format: str | None, rejects: Rejects | None = None
) -> Iterator[TrafficRequest]:
    """The requests of a trace, with the bodies that a replay begins with.

    Args:
        trace: Files, folders, patterns or ``s3://`` URIs.
        sending: What is sent.
        input_format: That of the trace, if it is not recognised.
        rejects: Told what is no request.

    Raises:
        WarmrouteError: The trace cannot be read.
    """
    return read_traffic(
        list(trace),
        format=input_format,
        bodies="canonical" if sending.bodies == "canonical" else "recorded_or_canonical",
        rejects=rejects,
    )
