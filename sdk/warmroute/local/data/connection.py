"""The connection that a request came on: its body, and whether anybody still waits at its other end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from warmroute.client.body_size import MAX_BODY_BYTES
from warmroute.local.data.failures import invalid

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

Result = TypeVar("Result")


class StreamedResponse(StreamingResponse):
    """An answer that is sent as it comes, and given up when the client goes away.

    Args:
        parts: The body.
        close: Called once, when the answer is over or given up.
        media_type: Content-Type.
        headers: Further headers.
    """

    def __init__(
        self,
        parts: AsyncIterator[bytes],
        close: Callable[[], Awaitable[None]],
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(parts, media_type=media_type, headers=headers)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it."""
        try:
            await while_connected(receive, self.stream_response(send))
        finally:
            await self._close()


class ClientGoneError(Exception):
    """Nobody is left to answer."""


async def whole_body(request: Request) -> bytes:
    """The body of a request.

    Raises:
        Refusal: It is too large.
        ClientGoneError: It did not come to its end.
    """
    size, parts = 0, []
    try:
        async for part in request.stream():
            size += len(part)
            if size > MAX_BODY_BYTES:
                raise invalid(f"The body has more than {MAX_BODY_BYTES} bytes.")
            parts.append(part)
    except ClientDisconnect:
        raise ClientGoneError from None
    return b"".join(parts)


async def while_connected(receive: Receive, work: Coroutine[None, None, Result]) -> Result:
    """The result of some work, which is cancelled when the client goes away.

    Args:
        receive: The connection, whose request has been read.
        work: What to do.

    Raises:
        ClientGoneError: The client went away first.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGoneError
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
