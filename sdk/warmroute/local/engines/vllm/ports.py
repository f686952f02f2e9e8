"""A free port for a server that binds it by its number, seconds after it was chosen."""

from __future__ import annotations

import socket
import sys


class HeldPort:
    """A loopback port that nobody else is given who asks the operating system for any.

    A server that sets ``SO_REUSEADDR``, as vLLM and asyncio do, can listen there all the same. That is so on Linux;
    elsewhere it could not, so nothing is held there, and the port is only likely to be still free.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def hold(self) -> int:
        """The number of a port, which is held from now on instead of the one before."""
        self.let_go()
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        self._socket = held
        port = int(held.getsockname()[1])
        if sys.platform != "linux":
            self.let_go()
        return port

    def let_go(self) -> None:
        """Hold it no longer."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
