"""Splits a stream into lines, or into the JSON objects of a document, never holding more than one of bounded size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIP_BYTES = 1 << 20


class Piece(NamedTuple):
    """A line of a stream, or an object of a document."""

    number: int
    """Its place, from 1."""

    data: bytes | None
    """Its bytes, without white space around them; None where there is no reading it."""

    fault: str = ""
    """Why there is no reading it."""


def lines(stream: BinaryIO, limit_bytes: int) -> Iterator[Piece]:
    """The lines of a stream that are not blank.

    Args:
        stream: Where to read.
        limit_bytes: Length from which on a line is passed over, unread.
    """
    number = 0
    while line := stream.readline(limit_bytes + 1):
        number += 1
        if len(line) > limit_bytes and not line.endswith(b"\n"):
            del line
            while (more := stream.readline(_SKIP_BYTES)) and not more.endswith(b"\n"):
                pass
            yield Piece(number, None, TOO_LONG)
        elif stripped := line.strip():
            yield Piece(number, stripped)


TOO_LONG = "longer than the limit"
CUT_OFF = "ends in the middle of an object"
NO_OBJECT = "not a JSON object"


def objects(stream: BinaryIO, limit_bytes: int) -> Iterator[Piece]:
    """The outermost JSON objects of a document: itself, those of its list, or one after the other.

    Objects are told by their brackets alone, so that one that is not JSON costs no other.

    Args:
        stream: Where to read.
        limit_bytes: Length from which on an object is passed over, unread.
    """
    splitter = _Splitter(limit_bytes)
    while chunk := stream.read(_SKIP_BYTES):
        yield from splitter.feed(chunk)
    yield from splitter.end()


_OUTSIDE = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+', re.DOTALL)
"""Up to the next bracket, past whole strings."""

_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
"""Up to the end of a string that began before."""

_BETWEEN = b" \t\r\n,\xef\xbb\xbf"
"""What may stand between objects; the last three bytes are a byte order mark."""


class _Splitter:
    """How far a document is read: how deep in an object, and whether in a string."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._number = 0
        self._depth = 0
        self._in_string = False
        self._unread = b""
        self._object = bytearray()
        self._too_long = False
        self._other = False

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        data = self._unread + chunk
        at = 0
        while True:
            matched = (_INSIDE if self._in_string else _OUTSIDE).match(data, at)
            end = matched.end() if matched else at
            self._take(data[at:end])
            at = end
            if at == len(data) or data[at : at + 1] == b"\\":
                break
            mark = data[at : at + 1]
            at += 1
            if mark == b'"':
                self._in_string = not self._in_string
                self._take(mark)
            else:
                yield from self._bracket(mark)
        self._unread = data[at:]  # A backslash whose other half is in the next chunk.

    def end(self) -> Iterator[Piece]:
        if self._depth or self._other:
            yield self._piece(None, CUT_OFF if self._depth else NO_OBJECT)

    def _take(self, data: bytes) -> None:
        if not self._depth:
            self._other = self._other or bool(data.strip(_BETWEEN))
        elif len(self._object) + len(data) > self._limit_bytes:
            self._object, self._too_long = bytearray(), True
        elif not self._too_long:
            self._object += data

    def _bracket(self, mark: bytes) -> Iterator[Piece]:
        if not self._depth:
            if mark != b"{":
                return  # The list around the objects.
            if self._other:
                yield self._piece(None, NO_OBJECT)
        if mark in b"{[":
            self._depth += 1
            self._take(mark)
        else:
            self._take(mark)
            self._depth -= 1
        if not self._depth:
            yield self._piece(None, TOO_LONG) if self._too_long else self._piece(bytes(self._object))

    def _piece(self, data: bytes | None, fault: str = "") -> Piece:
        self._number += 1
        self._object, self._too_long, self._other = bytearray(), False, False
        return Piece(self._number, data, fault)
