"""Sends every request at its time, whatever became of the ones before it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Protocol

from botocore.exceptions import BotoCoreError

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.answer import Answer
from warmroute.measure.replay.http.errors import ExchangeError
from warmroute.measure.replay.queue import Queue
from warmroute.measure.replay.rows import ALONE, STOPPED, Sent, sent_row, unsent_row
from warmroute.measure.replay.targets import REFRESH_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from warmroute.measure.replay.http.connection import Connection
    from warmroute.measure.replay.http.response import Receiver
    from warmroute.measure.replay.planning import Planned
    from warmroute.measure.replay.rows import Place
    from warmroute.measure.replay.targets import Target
    from warmroute.measure.run import ReplayedRequest

ANSWER_SECONDS = 70.0
"""Longest silence of an endpoint: SageMaker gives a model 60 seconds. Source: InvokeEndpoint."""

GIVE_UP_AFTER = 100
"""Refusals with which a run ends, if nothing else has come until then: the model's name is wrong, for example."""

LEAD_SECONDS = 0.2
"""Time before the first request, for spare connections to be made."""


class Exchange(Protocol):
    """Sends one request and hands on its response, as ``Connections.exchange`` does."""

    async def __call__(
        self, head: bytes, body: bytes, receiver: Receiver, on_sent: Callable[[Connection], None]
    ) -> None:
        """Raises ExchangeError without a complete response."""


class OpenLoop:
    """One run.

    Args:
        requests: In the order of their times.
        target: Where they go.
        exchange: Sends one.
        on_row: Told the record of each request, once each, when it has ended or will not be sent.
        salt: The run's ``cache_salt``; empty for none.
        place: What each row says of the run.
        start: When the run begins, on the clock of the event loop; without it, in a moment.
    """

    def __init__(
        self,
        requests: Iterable[Planned],
        target: Target,
        exchange: Exchange,
        *,
        on_row: Callable[[ReplayedRequest], None],
        salt: str = "",
        place: Place = ALONE,
        start: float | None = None,
    ) -> None:
        self._queue = Queue(requests)
        self._target = target
        self._exchange = exchange
        self._on_row = on_row
        self._salt = salt
        self._place = place
        self._loop = asyncio.get_running_loop()
        self._in_flight: dict[asyncio.Task[None], Sent] = {}
        self._wake: asyncio.Future[None] = self._loop.create_future()
        self._fault: Exception | None = None
        self._refused = 0
        self._is_hopeless: bool | None = None
        """Whether nothing but refusals came; False once anything else has."""
        self.start = self._loop.time() + LEAD_SECONDS if start is None else start
        """When the run begins, on the clock of the event loop."""

    @property
    def in_flight(self) -> int:
        """Requests that wait for the end of their answers."""
        return len(self._in_flight)

    @property
    def gave_up(self) -> bool:
        """Whether it ended early, since every answer was a refusal."""
        return bool(self._is_hopeless)

    async def run(self) -> None:
        """Send everything and wait for the answers; cancel it to stop early.

        Raises:
            OSError: A row could not be kept; whatever ``on_row`` raises.
        """
        watching = asyncio.create_task(self._watch())
        try:
            await self._send_all()
        finally:
            watching.cancel()
            for task in tuple(self._in_flight):
                task.cancel()
            while self._in_flight:
                await asyncio.wait(tuple(self._in_flight))
                await asyncio.sleep(0)  # Their callbacks follow.
            for at, request in self._queue.rest():
                self._keep(unsent_row(request, at, self._place))
        if self._fault is not None:
            raise self._fault

    async def _send_all(self) -> None:
        prepared: tuple[Planned, bytes, bytes] | None = None
        while self._fault is None and not self.gave_up:
            first = self._queue.first()
            if first is None:
                if not self._in_flight:
                    return
                await self._pause(None)
                continue
            at, request = self.start + first[0], first[1]
            if prepared is None or prepared[0] is not request:
                # Made before its time has come, lest it be late by that.
                body = request.body.salted(self._salt) if self._salt else request.body.data
                prepared = request, self._target.head(body, request.prefix_aware_id), body
            if at > self._loop.time():
                await self._pause(at)
                continue
            self._queue.pop()
            self._send(*prepared, at)
            prepared = None
            await asyncio.sleep(0)  # Being late must not keep answers from being read.

    def _send(self, request: Planned, head: bytes, body: bytes, planned_at: float) -> None:
        answer = Answer(self._loop.time, in_event_stream=self._target.in_event_stream)
        sent = Sent(request, planned_at, self._loop.time(), answer)
        task = self._loop.create_task(self._ask(sent, head, body))
        self._in_flight[task] = sent
        task.add_done_callback(self._ended)

    async def _ask(self, sent: Sent, head: bytes, body: bytes) -> None:
        def on_sent(connection: Connection) -> None:
            sent.sent_at = sent.answer.latest_at = self._loop.time()
            sent.connection = connection

        await self._exchange(head, body, sent.answer, on_sent)
        sent.answer.check()

    def _ended(self, task: asyncio.Task[None]) -> None:
        sent = self._in_flight.pop(task)
        error = None
        if task.cancelled():
            error = STOPPED
        elif fault := task.exception():
            if isinstance(fault, ExchangeError):
                error = fault.reason
            else:
                error, self._fault = type(fault).__name__, self._fault or _as_exception(fault)
        self._judge(sent.answer, error)
        self._queue.answered(sent.request, self._loop.time() - self.start)
        self._keep(sent_row(sent, error, self._place, start=self.start, now=self._loop.time()))
        if not self._wake.done():
            self._wake.set_result(None)

    def _judge(self, answer: Answer, error: str | None) -> None:
        if self._is_hopeless is not None:
            return
        if error is None or not 400 <= answer.status < 500 or answer.status == 429 or "Throttl" in error:
            self._is_hopeless = False
            return
        self._refused += 1
        if self._refused >= GIVE_UP_AFTER:
            self._is_hopeless = True

    def _keep(self, row: ReplayedRequest) -> None:
        if self._fault is None:
            try:
                self._on_row(row)
            except OSError as error:
                self._fault = error

    async def _pause(self, until: float | None) -> None:
        """Wait for a time, or for the end of an answer, which may bring a time that is earlier."""
        self._wake = self._loop.create_future()
        timer = self._loop.call_at(until, _set, self._wake) if until is not None else None
        try:
            await self._wake
        finally:
            if timer is not None:
                timer.cancel()

    async def _watch(self) -> None:
        """End exchanges of which nothing is heard any more, and keep credentials fresh."""
        refreshed = self._loop.time()
        while True:
            await asyncio.sleep(1.0)
            now = self._loop.time()
            for sent in tuple(self._in_flight.values()):
                if sent.connection is not None and now - sent.answer.latest_at > ANSWER_SECONDS:
                    sent.connection.fail(f"no answer for {ANSWER_SECONDS:.0f} s")
            if now - refreshed >= REFRESH_SECONDS:
                refreshed = now
                with contextlib.suppress(WarmrouteError, BotoCoreError):  # The old ones may do; if not, rows tell.
                    await self._target.refresh()


def _as_exception(fault: BaseException) -> Exception:
    return fault if isinstance(fault, Exception) else RuntimeError(type(fault).__name__)


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
