"""Streams of bytes: looked into before they are read, and decompressed by what is in them."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, cast

from warmroute.errors import MissingExtraError
from warmroute.traffic.errors import DamagedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import WriteableBuffer

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_READ_BYTES = 1 << 18
_ZSTD_FEED_BYTES = 1 << 8
"""Compressed bytes taken at a time: a few bytes can stand for a block of 128 KiB (RFC 8878), so this bounds memory."""


def decompressed(stream: BinaryIO) -> BinaryIO:
    """The data of a stream, decompressed if they are compressed, with bounded memory.

    Args:
        stream: Read from where it stands; it need not be seekable.

    Raises:
        DamagedError: While reading, where the compressed data are damaged or end early.
        MissingExtraError: zstd data, and no ``zstandard``.
    """
    head, whole = read_ahead(stream, len(_ZSTD))
    if head.startswith(_GZIP):
        return buffered(_gunzipped(whole))
    return buffered(_Zstd(whole).take) if head == _ZSTD else whole


def read_ahead(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, fewer only if it has no more, and the whole stream, these included."""
    head = b""
    while len(head) < size and (more := stream.read(size - len(head))):  # A pipe gives what it has.
        head += more
    ahead = io.BytesIO(head)
    return head, buffered(lambda size: ahead.read(size) or stream.read(size))


def buffered(take: Callable[[int], bytes]) -> BinaryIO:
    """A stream of what a function returns: at most as many bytes as it is asked for, none at the end."""
    return cast("BinaryIO", io.BufferedReader(_Taken(take), _READ_BYTES))


def _gunzipped(stream: BinaryIO) -> Callable[[int], bytes]:
    file = gzip.GzipFile(fileobj=stream)

    def take(size: int) -> bytes:
        try:
            return file.read1(size)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise DamagedError from None

    return take


class _Zstd:
    """zstd data, frame after frame; unlike the library's own reader, it notices an end in the middle of one."""

    def __init__(self, stream: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("Reading zstd files", "analysis") from None
        self._stream, self._library = stream, zstandard
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._ready = memoryview(b"")

    def take(self, size: int) -> bytes:
        while not self._ready:
            data = self._frame.unused_data if self._frame.eof else b""
            data = data or self._stream.read(_ZSTD_FEED_BYTES)
            if self._frame.eof:
                self._frame, self._begun = self._library.ZstdDecompressor().decompressobj(), False
            if not data:
                if self._begun:
                    raise DamagedError
                return b""
            self._begun = True
            try:
                self._ready = memoryview(self._frame.decompress(data))
            except self._library.ZstdError:
                raise DamagedError from None
        taken, self._ready = self._ready[:size], self._ready[size:]
        return bytes(taken)


class _Taken(io.RawIOBase):
    """A raw stream made of a function that returns the next bytes."""

    def __init__(self, take: Callable[[int], bytes]) -> None:
        self._take = take

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._take(len(view))
        view[: len(data)] = data
        return len(data)
