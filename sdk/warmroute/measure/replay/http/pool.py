"""A bounded number of connections to one server, some of them open before they are needed."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.http.connection import Connection
from warmroute.measure.replay.http.errors import ExchangeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.measure.replay.http.response import Receiver

CONNECT_SECONDS = 10.0
"""How long a connection may take to be made."""

_SPARE = 8
"""Connections that are kept open beyond those in use, so that a request seldom waits for one to be made."""


class Server(NamedTuple):
    """Where connections go."""

    host: str
    port: int
    is_encrypted: bool

    @property
    def authority(self) -> str:
        """The value of the ``Host`` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_encrypted else 80) else f"{host}:{self.port}"


def server_of(url: str) -> Server:
    """The server of a URL.

    Raises:
        WarmrouteError: It is no ``http`` or ``https`` URL of a server.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise WarmrouteError(f"{url}: not the URL of a server.", "Give one as https://host or http://host:port.")
    return Server(parts.hostname, port or (443 if parts.scheme == "https" else 80), parts.scheme == "https")


class Connections:
    """Connections to one server; to be used as a context.

    Args:
        server: Where they go.
        limit: How many there are at most; a request beyond it waits for one.
    """

    def __init__(self, server: Server, limit: int) -> None:
        self._server = server
        self._limit = limit
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._being_made = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._spares: set[asyncio.Task[None]] = set()
        self._encryption = ssl.create_default_context() if server.is_encrypted else None

    async def __aenter__(self) -> Self:
        """Open the first ones.

        Raises:
            WarmrouteError: The server cannot be reached.
        """
        try:
            self._idle.append(await self._made())
        except ExchangeError as error:
            where = f"{self._server.host}:{self._server.port}"
            raise WarmrouteError(
                f"{where} cannot be reached: {error.reason}.", "Is the address right, and does the server run?"
            ) from None
        self._make_spares()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all of them."""
        for task in self._spares:
            task.cancel()
        for connection in tuple(self._open):
            connection.close()
        await asyncio.sleep(0)

    async def exchange(
        self, head: bytes, body: bytes, receiver: Receiver, on_sent: Callable[[Connection], None]
    ) -> None:
        """Send a request on the next free connection and wait for the end of its response.

        A connection that its server has closed in the meantime, before a byte of an answer, is replaced once, as
        HTTP clients do (RFC 9112, section 9.3.1).

        Args:
            head: Request line and headers.
            body: Body.
            receiver: Told the response as it arrives.
            on_sent: Told the connection right before the request is written to it.

        Raises:
            ExchangeError: There is no complete response.
        """
        while True:
            connection = await self._taken()
            stale = connection.used
            on_sent(connection)
            try:
                await connection.exchange(head, body, receiver)
            except ExchangeError:
                if not (stale and connection.is_silent and not connection.is_open):
                    raise
            else:
                return
            finally:
                self._give_back(connection)

    async def _taken(self) -> Connection:
        while True:
            while self._idle:
                connection = self._idle.pop()
                if connection.is_open:
                    self._make_spares()
                    return connection
            if len(self._open) + self._being_made < self._limit:
                return await self._made()
            free = asyncio.get_running_loop().create_future()
            self._waiting.append(free)
            try:
                await free
            except asyncio.CancelledError:
                if free.done() and not free.cancelled():
                    self._wake()
                raise

    def _give_back(self, connection: Connection) -> None:
        if connection.is_open:
            self._idle.append(connection)
        self._wake()

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        with contextlib.suppress(ValueError):
            self._idle.remove(connection)
        self._wake()

    def _wake(self) -> None:
        while self._waiting:
            free = self._waiting.popleft()
            if not free.done():
                free.set_result(None)
                return

    def _make_spares(self) -> None:
        room = self._limit - len(self._open) - self._being_made
        for _ in range(min(_SPARE - len(self._idle) - len(self._spares), room)):
            task = asyncio.create_task(self._spare())
            self._spares.add(task)
            task.add_done_callback(self._spares.discard)

    async def _spare(self) -> None:
        with contextlib.suppress(ExchangeError):  # The request that needs one will meet it, too.
            self._give_back(await self._made())

    async def _made(self) -> Connection:
        loop = asyncio.get_running_loop()
        connection: Connection | None = None
        self._being_made += 1
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    lambda: Connection(self._lost), self._server.host, self._server.port, ssl=self._encryption
                )
        except TimeoutError:
            raise ExchangeError("connecting took too long") from None
        except ssl.SSLError:
            raise ExchangeError("TLS failed") from None
        except OSError as error:
            raise ExchangeError(_reason(error)) from None
        finally:
            self._being_made -= 1
            if connection is None:
                self._wake()
        self._open.add(connection)
        return connection


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return "unknown host" if type(error).__name__ == "gaierror" else "no connection"
