"""Which worker sends what: each request of the plan is one worker's, and a session stays with one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.measure.replay.planning import Planned


class Share:
    """The requests of one worker, out of the plan of the whole trace.

    Args:
        index: The worker, from 0.
        of: How many workers there are.
    """

    def __init__(self, index: int, of: int) -> None:
        self._index, self._of = index, of
        self._plan = hashlib.sha256()
        self.planned = 0
        """Requests of the whole plan."""

    def __call__(self, requests: Iterable[Planned]) -> Iterator[Planned]:
        """The worker's own among the requests of the plan, all of which are read."""
        for request in requests:
            self.planned += 1
            self._plan.update(
                repr((request.planned_seconds, request.delay_seconds, request.session, len(request.body.data))).encode()
            )
            self._plan.update(request.body.data)
            if worker_of(request, self._of) == self._index:
                yield request

    @property
    def fingerprint(self) -> str:
        """Of the plan, once it is read: workers with the same share out the same requests."""
        return self._plan.hexdigest()


def worker_of(request: Planned, workers: int) -> int:
    """The worker that sends a request; without a session, any can.

    Args:
        request: The request.
        workers: How many there are.
    """
    if not request.session:
        return request.number % workers
    return crc32(request.session.encode("utf-8", "surrogatepass")) % workers
