"""A replay made ready: what its trace has to send, and what the record of the run shall tell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.measure.replay.bodies import Bodies
from warmroute.measure.replay.planning import planned
from warmroute.measure.replay.schedule import Schedule
from warmroute.traffic import Rejects, read_traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warmroute.measure.replay.options import Load, Sending
    from warmroute.measure.replay.planning import Planned


class Prepared(NamedTuple):
    """A schedule, and its story."""

    schedule: Schedule
    about: dict[str, Any]
    """The trace, the options, and ``notes`` on what could not be sent as recorded; values of JSON."""


def prepare(
    trace: Sequence[str],
    load: Load,
    sending: Sending,
    *,
    chat_only: bool,
    input_format: str | None = None,
    part: Callable[[Iterable[Planned]], Iterable[Planned]] | None = None,
) -> Prepared:
    """Read a trace and plan its requests.

    Args:
        trace: Files, folders, patterns or ``s3://`` URIs.
        load: When requests are sent, and how many.
        sending: What is sent.
        chat_only: Whether the target takes chats alone.
        input_format: That of the trace, if it is not recognised.
        part: Chooses among the planned requests of the whole trace, perhaps none.

    Raises:
        WarmrouteError: The trace cannot be read or planned, or has nothing to send.
    """
    bodies, rejects = Bodies(sending, chat_only=chat_only), Rejects()
    found = read_traffic(
        trace,
        format=input_format,
        bodies="canonical" if sending.bodies == "canonical" else "recorded_or_canonical",
        rejects=rejects,
    )
    whole = planned(found, load, bodies)
    schedule = Schedule(whole) if part is None else Schedule(part(whole), may_be_empty=True)
    notes = [f"{count:,} requests were {what}." for what, count in bodies.notes.items()]
    about = {
        "trace": list(trace),
        "load": load.model_dump(),
        "sending": sending.model_dump(),
        "notes": [*rejects.summary(), *notes],
    }
    return Prepared(schedule, about)
