"""A file as entries: the JSON objects of its lines or of its document, or the rows of its table."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import orjson

from warmroute.traffic.entries.lines import NO_OBJECT, Piece, lines, objects
from warmroute.traffic.errors import DamagedError, TrafficError
from warmroute.traffic.sources.named import STANDARD_INPUT
from warmroute.traffic.sources.streams import decompressed, read_ahead

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from warmroute.traffic.entries.rejects import Rejects
    from warmroute.traffic.sources.named import Source

LINE_LIMIT_BYTES = 1 << 26
"""Longest line, or object of a document, that is read: a SageMaker body has at most 25 MB, twice that in base64."""


class Entry(NamedTuple):
    """One JSON object, or row, of a file."""

    source: str
    line: int
    """Its line; in a document, its position. From 1."""

    value: dict[str, Any]
    data: bytes
    """The object as it is written."""


def entries(source: Source, rejects: Rejects, *, limit_bytes: int = LINE_LIMIT_BYTES) -> Generator[Entry]:
    """The entries of a file, one at a time; what is none is counted.

    The first line tells what the file is: lines that are JSON objects; a JSON document, of one object or a list of
    them; or else a table, whose first line names its columns.

    Args:
        source: What to read.
        rejects: Counts lines that are no entry: broken, too long, or after damage.
        limit_bytes: Longest line, or object of a document, that is read.

    Raises:
        TrafficError: The file cannot be opened, or reading it fails.
    """
    name, number = source.name, 0
    with _opened(source) as raw:
        try:
            head, stream = read_ahead(decompressed(raw), _HEAD_BYTES)
            layout = _layout(head)
            columns: list[str] = []
            begins = layout is _Layout.TABLE
            for piece in (objects if layout is _Layout.DOCUMENT else lines)(stream, limit_bytes):
                number = piece.number
                if begins:
                    begins, columns = False, _fields(piece.data or b"")
                    if columns:  # Else the file only looks like a table.
                        continue
                value = _value(piece, columns)
                if isinstance(value, str):
                    rejects.reject(name, number, value)
                else:
                    yield Entry(name, number, value, piece.data or b"")
        except DamagedError:
            rejects.reject(name, number + 1, "compressed data are damaged or cut off here; the rest is unread")
        except OSError as error:
            reason = error.strerror or error
            raise TrafficError(f"{name}: reading failed: {reason}.", "Check the file and its medium.") from None


_HEAD_BYTES = 1 << 16
"""As much of a file as tells its layout."""


class _Layout(Enum):
    LINES = auto()
    DOCUMENT = auto()
    TABLE = auto()


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    stream = source.open()
    try:
        yield stream
    finally:
        if source.name != STANDARD_INPUT:
            stream.close()


def _layout(head: bytes) -> _Layout:
    first, newline, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    first, after = first.rstrip(), rest.lstrip()[:1]
    if first.startswith(b"["):
        return _Layout.DOCUMENT
    if first.startswith(b"{"):
        opens = newline and (first.endswith((b"[", b":")) or (first.endswith((b"{", b",")) and after in (b'"', b"}")))
        return _Layout.DOCUMENT if opens and not _is_json(first) else _Layout.LINES
    return _Layout.TABLE if first.count(b",") > 1 and b"{" not in first + after else _Layout.LINES


def _is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True


def _value(piece: Piece, columns: list[str]) -> dict[str, Any] | str:
    """The value of a line or object; or why it has none."""
    if piece.data is None:
        return piece.fault
    if columns:
        fields = _fields(piece.data)
        return dict(zip(columns, fields, strict=True)) if len(fields) == len(columns) else "not a field for each column"
    try:
        value = orjson.loads(piece.data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        return "not JSON"
    return value if isinstance(value, dict) else NO_OBJECT


def _fields(line: bytes) -> list[str]:
    try:
        return [field.strip() for field in next(csv.reader([line.decode("utf-8-sig")], strict=True), [])]
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return []
