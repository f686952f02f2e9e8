"""Reads the response of an HTTP/1.1 server from bytes cut anywhere.

Source: RFC 9112, sections 4 to 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from warmroute.measure.replay.http.errors import ExchangeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_HEAD = 1 << 16
_LONGEST_SIZE_LINE = 1 << 10


class Receiver(Protocol):
    """What a response is handed to, as it arrives."""

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """The status line and headers are in; names are in lower case."""

    def part(self, data: bytes) -> None:
        """Some more of the body is in."""


class ResponseReader:
    """Reads one response.

    Args:
        receiver: Told what has arrived.
    """

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._buffer = bytearray()
        self._read: Callable[[], bool] = self._head
        """Reads the next piece of the buffer; whether there was a whole one."""
        self._left = 0
        """Bytes of the body, or of its chunk, that are to come."""
        self.begun = False
        """Whether anything has arrived."""
        self.complete = False
        self.keeps_connection = False
        """Whether another request may follow on the connection."""

    def feed(self, data: bytes) -> bool:
        """Take in the next bytes.

        Returns:
            Whether the response is complete.

        Raises:
            ExchangeError: They are no HTTP response.
        """
        self.begun = True
        self._buffer += data
        while not self.complete and self._read():
            pass
        if self.complete and self._buffer:
            self.keeps_connection = False  # More than was asked for.
        return self.complete

    def end(self) -> None:
        """The connection has ended; a body without a length is complete by it."""
        if self._read == self._until_the_end:
            self.complete = True

    def _head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _LONGEST_HEAD:
                raise _no_http()
            return False
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        version, _, rest = first.partition(" ")
        code = rest[:3]
        if not version.startswith("HTTP/1.") or not (len(code) == 3 and code.isascii() and code.isdigit()):
            raise _no_http()
        status = int(code)
        if status < 200:  # Interim; the response itself follows.
            return True
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self.keeps_connection = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        self._receiver.begin(status, headers)
        self._expect_body(status, headers)
        return True

    def _expect_body(self, status: int, headers: Mapping[str, str]) -> None:
        if status in (204, 304):
            self.complete = True
        elif headers.get("transfer-encoding", "").lower().endswith("chunked"):
            self._read = self._chunk_size
        elif "content-length" in headers:
            length = headers["content-length"]
            if not (length.isascii() and length.isdigit()):
                raise _no_http()
            self._left = int(length)
            self._read, self.complete = self._rest, not self._left
        else:
            self._read, self.keeps_connection = self._until_the_end, False

    def _chunk_size(self) -> bool:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > _LONGEST_SIZE_LINE:
                raise _no_http()
            return False
        try:
            self._left = int(self._buffer[:end].partition(b";")[0], 16)
        except ValueError:
            raise _no_http() from None
        del self._buffer[: end + 2]
        self._read = self._chunk if self._left else self._trailer
        return True

    def _chunk(self) -> bool:
        if len(self._buffer) < self._left + 2:
            return False
        self._receiver.part(bytes(self._buffer[: self._left]))
        del self._buffer[: self._left + 2]
        self._read = self._chunk_size
        return True

    def _trailer(self) -> bool:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            return False
        self.complete = end == 0
        del self._buffer[: end + 2]
        return True

    def _rest(self) -> bool:
        part = bytes(self._buffer[: self._left])
        del self._buffer[: self._left]
        self._left -= len(part)
        self.complete = not self._left
        if part:
            self._receiver.part(part)
        return False

    def _until_the_end(self) -> bool:
        if self._buffer:
            self._receiver.part(bytes(self._buffer))
            self._buffer.clear()
        return False


def _no_http() -> ExchangeError:
    return ExchangeError("no HTTP response")
