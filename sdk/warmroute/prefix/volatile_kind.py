"""What kinds of text probably change from call to call, and what to do about each."""

from __future__ import annotations

from enum import StrEnum


class VolatileKind(StrEnum):
    """What a piece of volatile text is."""

    DATE = "date"
    """A day of the years 2020 to 2039."""

    TIME = "time"
    """A time of day, with its date if that is next to it."""

    EPOCH = "epoch"
    """Seconds, milli-, micro- or nanoseconds since 1970, for the years 2017 to 2033."""

    UUID = "uuid"
    HEX_ID = "hex_id"
    """24 to 64 hexadecimal digits; 5 or more in the form ``key=value;`` of a header; a W3C ``traceparent``."""

    ID = "id"
    """A ULID, a random id with a known beginning such as ``call_``, or what follows the words request id, tenant id…"""

    COUNTER = "counter"
    """A counted request, message or turn: ``Request #123``, ``17 previous messages``."""

    TEMPORARY_PATH = "temporary_path"

    @property
    def remedy(self) -> str:
        """What to do about it, as a sentence."""
        return _REMEDIES[self]


_REMEDIES = {
    VolatileKind.DATE: "Move the date to the last message, or leave it out; each midnight changes every key.",
    VolatileKind.TIME: "Move the time to the last message, or round it to the day.",
    VolatileKind.EPOCH: "Move the timestamp to the last message, or leave it out.",
    VolatileKind.UUID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.HEX_ID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.ID: "Leave the id out of the prompt, or move it to the last message.",
    VolatileKind.COUNTER: "Leave the number out, or move it to the last message.",
    VolatileKind.TEMPORARY_PATH: "Use a fixed path, or tell the path in the last message.",
}
