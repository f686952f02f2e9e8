"""A whole replay prepared before it begins, so that nothing but sending is left to do while it runs."""

from __future__ import annotations

import hashlib
import tempfile
import weakref
from typing import TYPE_CHECKING, BinaryIO, cast

import orjson

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.bodies import Body
from warmroute.measure.replay.planning import Planned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_IN_MEMORY_BYTES = 1 << 28
"""Beyond it, requests wait in a file of the system's temporary folder."""


class Schedule:
    """Planned requests, to be read as often as there are runs.

    Args:
        requests: In the order of their times.
        part: The part of the trace that they are, from 0.
        may_be_empty: Whether there may be none.

    Raises:
        WarmrouteError: There are none, or there is no room for them.
    """

    def __init__(self, requests: Iterable[Planned], *, part: int = 0, may_be_empty: bool = False) -> None:
        self.part = part
        self.requests = 0
        self.last_planned_seconds = 0.0
        """When the last request is planned, as far as that does not depend on answers."""
        self._digest = hashlib.sha256()
        self._file = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES))  # noqa: SIM115 - as long as self.
        weakref.finalize(self, self._file.close)
        try:
            for request in requests:
                self._add(request)
        except OSError as error:
            raise WarmrouteError(
                f"The requests cannot be kept in {tempfile.gettempdir()}: {error.strerror}.", "Set TMPDIR."
            ) from None
        if not (self.requests or may_be_empty):
            raise WarmrouteError("The trace has no request to send.", "Give a longer duration, or another trace.")

    @property
    def sha256(self) -> str:
        """What tells it from any other: of all that is sent, and when."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[Planned]:
        """The requests in order; several may read at a time, in one thread."""
        place = 0
        while True:
            self._file.seek(place)
            if not (line := self._file.readline()):
                return
            number, at, delay, session, prefix_aware_id, tokens, segment, salt, size = orjson.loads(line)
            body = Body(self._file.read(size), salt)
            place = self._file.tell()
            yield Planned(number, at, delay, session, prefix_aware_id, tokens, body, segment)

    def _add(self, request: Planned) -> None:
        *head, body, segment = request
        written = orjson.dumps([*head, segment, body.salt, len(body.data)]) + b"\n" + body.data
        self._file.write(written)
        self._digest.update(written)
        self.requests += 1
        self.last_planned_seconds = max(self.last_planned_seconds, request.planned_seconds or 0.0)
