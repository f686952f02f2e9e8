"""The control plane with a memory: what changes the account is written down, and done again at the next start.

Every source of difference is held still for that: a call sees one moment of the clock, ids follow from the number of
the call, and calls are answered one after the other.
"""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from warmroute.errors import LocalEndpointError
from warmroute.local.control.chance import CHANCE, make_repeatable
from warmroute.local.state.calls import Call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from warmroute.local.control import Clock
    from warmroute.local.state.journal import Journal

_STEP_SECONDS = 0.25
"""How often stacks go on while what was done is done again, in seconds of the clock."""


class RememberingControlPlane:
    """The control plane, and the journal of what changed it.

    Args:
        control_plane: What answers calls.
        journal: What is written down.
        clock: The control plane's; it stands still until `restore` has ended.
        settle: Lets everything under way go on, and says whether something is still under way.
    """

    def __init__(self, control_plane: ASGIApp, journal: Journal, clock: Clock, settle: Callable[[], bool]) -> None:
        self.is_restoring = True
        """Whether what was done is not all done again yet."""
        self._control_plane = control_plane
        self._journal = journal
        self._clock = clock
        self._settle = settle
        self._turn = asyncio.Lock()
        self._count = 0
        make_repeatable()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; one that changes something is acknowledged once it is written down."""
        if scope["type"] != "http":
            await self._control_plane(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            return  # The client went away in the middle of its request.
        call = Call.of(scope, body)
        async with self._one_at_a_time() as now:
            if call.changes_something:
                CHANCE.seed(f"{self._journal.secret}/{self._count}")
            answer = await self._answer(scope, call.body)
            if call.changes_something and answer[0]["status"] < 400:
                answer = await asyncio.to_thread(self._written_down, call, now, answer)
        for message in answer:
            await send(message)

    async def settle(self) -> None:
        """Let everything under way go on, between two calls."""
        async with self._one_at_a_time():
            await asyncio.to_thread(self._settle)

    async def restore(self, speed: float) -> list[str]:
        """Do again what the journal has, and let the clock run.

        Args:
            speed: Seconds of the clock in one real second.

        Returns:
            The calls that are refused now, each with its line of the journal.

        Raises:
            LocalEndpointError: The journal is damaged.
        """
        refused = []
        for line, entry in enumerate(self._journal.entries(), start=2):
            try:
                call, when = Call.from_kept(entry["call"]), float(entry["at"])
            except (KeyError, TypeError, ValueError):
                raise LocalEndpointError(
                    f"State in {self._journal.directory}: line {line} of its journal is no call.", "Delete it."
                ) from None
            await self._until(when)
            CHANCE.seed(f"{self._journal.secret}/{self._count}")
            status = (await self._answer(_scope(call), call.body))[0]["status"]
            self._count += 1
            if status >= 400:
                refused.append(f"{call.name}, line {line}")
        await self._until(max(time.time(), self._clock.now()))
        self._clock.run(speed)
        self.is_restoring = False
        return refused

    def _written_down(self, call: Call, now: float, answer: list[Message]) -> list[Message]:
        try:
            if call.is_reset:
                self._journal.clear()
                self._count = 0
            else:
                self._journal.append({"at": now, "call": call.kept()})
                self._count += 1
        except OSError as error:
            return _failure(f"The call took effect, but the state cannot be written: {error.strerror or error}")
        return answer

    async def _until(self, when: float) -> None:
        """Let everything happen that happened until then."""
        while await asyncio.to_thread(self._settle) and self._clock.now() < when:
            self._clock.advance(min(_STEP_SECONDS, when - self._clock.now()))
        self._clock.advance(max(0.0, when - self._clock.now()))
        await asyncio.to_thread(self._settle)

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[float]:
        async with self._turn:
            with self._clock.held() as now:
                yield now

    async def _answer(self, scope: Scope, body: bytes) -> list[Message]:
        """The messages of an answer, of which the first has the status."""
        sent: list[Message] = []
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._control_plane(scope, receive, send)
        return sent


async def _body(receive: Receive) -> bytes | None:
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _scope(call: Call) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": call.method,
        "path": unquote(call.raw_path),
        "raw_path": call.raw_path.encode("latin-1"),
        "root_path": "",
        "query_string": call.query.encode("latin-1"),
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in call.headers],
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 0),
    }


def _failure(message: str) -> list[Message]:
    body = json.dumps({"__type": "InternalFailure", "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"x-amzn-errortype", b"InternalFailure")]
    return [
        {"type": "http.response.start", "status": 500, "headers": headers},
        {"type": "http.response.body", "body": body},
    ]
