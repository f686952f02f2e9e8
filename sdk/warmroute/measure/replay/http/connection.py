"""One connection to a server, with one request at a time on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from warmroute.measure.replay.http.errors import ExchangeError
from warmroute.measure.replay.http.response import ResponseReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.measure.replay.http.response import Receiver


class Connection(asyncio.Protocol):
    """A connection.

    Args:
        on_lost: Told when it is gone.
    """

    def __init__(self, on_lost: Callable[[Connection], None]) -> None:
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._reader: ResponseReader | None = None
        self._ended: asyncio.Future[None] | None = None
        self.used = False
        """Whether it has carried a request before."""

    @property
    def is_open(self) -> bool:
        """Whether a request may be sent on it."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_silent(self) -> bool:
        """Whether not one byte of a response has arrived."""
        return self._reader is None or not self._reader.begun

    async def exchange(self, head: bytes, body: bytes, receiver: Receiver) -> None:
        """Send a request now and wait for the end of its response.

        Raises:
            ExchangeError: The response did not come, or not to its end.
        """
        assert self._transport is not None  # noqa: S101 - connections are handed out once they are made.
        self._reader = ResponseReader(receiver)
        self._ended = asyncio.get_running_loop().create_future()
        self._transport.writelines((head, body))
        try:
            await self._ended
        except BaseException:
            self.close()  # Whatever still arrives belongs to no request.
            raise
        if not self._reader.keeps_connection:
            self.close()
        self.used, self._reader = True, None

    def fail(self, reason: str) -> None:
        """End the exchange, and the connection with it."""
        self._finish(ExchangeError(reason))
        self.close()

    def close(self) -> None:
        """Close it at once."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        if self._reader is None or self._reader.complete:
            self.close()  # Nothing was asked.
            return
        try:
            if self._reader.feed(data):
                self._finish(None)
        except ExchangeError as error:
            self.fail(error.reason)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature.
        """Called by the event loop."""
        if self._reader is not None:
            self._reader.end()
            self._finish(None if self._reader.complete else ExchangeError("connection lost"))
        self._on_lost(self)

    def _finish(self, error: ExchangeError | None) -> None:
        if self._ended is None or self._ended.done():
            return
        if error is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(error)
