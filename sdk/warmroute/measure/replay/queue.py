"""Which request is next: by its time in the trace, or by its pause after an answer."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.measure.replay.planning import Planned


class Queue:
    """Requests that are still to be sent.

    A request that its trace places after an answer waits for it, and those behind it in its session for their own.

    Args:
        requests: In the order of their times.
    """

    def __init__(self, requests: Iterable[Planned]) -> None:
        self._unread = iter(requests)
        self._due: list[tuple[float, int, Planned]] = []
        self._held: defaultdict[str, deque[Planned]] = defaultdict(deque)
        self._unanswered: defaultdict[str, int] = defaultdict(int)
        self._answered_at: dict[str, float] = {}
        self._timed_ahead = 0
        """Requests in ``_due`` with a time in the trace: there must be one, to know that nothing else comes first."""

    def first(self) -> tuple[float, Planned] | None:
        """The next request and its time; None if all that are left wait for answers, or none is."""
        while not self._timed_ahead and (request := next(self._unread, None)) is not None:
            self._add(request)
        return (self._due[0][0], self._due[0][2]) if self._due else None

    def pop(self) -> Planned:
        """Take the next request out."""
        _, _, request = heapq.heappop(self._due)
        self._timed_ahead -= request.planned_seconds is not None
        return request

    def answered(self, request: Planned, at_seconds: float) -> None:
        """A request has ended, well or not: what waits for it gets its time."""
        session = request.session
        if not session:
            return
        self._unanswered[session] -= 1
        self._answered_at[session] = at_seconds
        held = self._held.get(session)
        if held and not self._unanswered[session]:
            self._push(held.popleft(), at_seconds)
        if not self._unanswered[session]:
            del self._unanswered[session]
            self._held.pop(session, None)

    def rest(self) -> Iterator[tuple[float | None, Planned]]:
        """Everything that was not taken out, with its time where it has one."""
        yield from ((at, request) for at, _, request in sorted(self._due))
        for held in self._held.values():
            yield from ((None, request) for request in held)
        yield from ((request.planned_seconds, request) for request in self._unread)

    def _add(self, request: Planned) -> None:
        if request.planned_seconds is None and request.session and self._unanswered.get(request.session):
            self._held[request.session].append(request)
            return
        self._push(request, self._answered_at.get(request.session, 0.0))

    def _push(self, request: Planned, after_seconds: float) -> None:
        if request.session:
            self._unanswered[request.session] += 1
        timed = request.planned_seconds is not None
        at = request.planned_seconds if request.planned_seconds is not None else after_seconds + request.delay_seconds
        self._timed_ahead += timed
        heapq.heappush(self._due, (at, request.number, request))
