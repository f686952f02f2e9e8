"""Brings lines into the order of their time, however many there are: what does not fit into memory waits in a file."""

from __future__ import annotations

import heapq
import struct
import tempfile
from typing import TYPE_CHECKING

from warmroute.traffic.writers.output import telling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

MEMORY_BYTES = 32 << 20
"""Lines that are kept in memory, in bytes; beyond it they are sorted and set aside."""

_REMEDY = "Set TMPDIR to a folder with room for the whole trace."
_HEAD = struct.Struct("<dQQ")  # Time, position, length of the line.


class InTime:
    """Lines by time; those of one time in the order in which they came.

    Args:
        memory_bytes: Lines that may be kept in memory.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._limit = memory_bytes
        self._lines: list[tuple[float, int, bytes]] = []
        self._bytes = 0
        self._count = 0
        self._runs: list[tuple[int, int]] = []
        """Begin and end of each sorted run in the file of those set aside."""
        with telling(tempfile.gettempdir(), _REMEDY):
            self._file = tempfile.TemporaryFile(prefix="warmroute-")  # noqa: SIM115 - closed by __exit__.

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, time: float, line: bytes) -> None:
        """Take a line.

        Raises:
            DocumentError: The folder for temporary files has no room.
        """
        self._lines.append((time, self._count, line))
        self._count += 1
        self._bytes += len(line)
        if self._bytes > self._limit:
            with telling(tempfile.gettempdir(), _REMEDY):
                self._set_aside()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[float, bytes]]:
        """Time and line of each."""
        self._lines.sort()
        runs = [self._run(begin, end) for begin, end in self._runs]
        for time, _, line in heapq.merge(*runs, self._lines):
            yield time, line

    def _set_aside(self) -> None:
        self._lines.sort()
        begin = self._file.tell()
        for time, position, line in self._lines:
            self._file.write(_HEAD.pack(time, position, len(line)))
            self._file.write(line)
        self._file.flush()
        self._runs.append((begin, self._file.tell()))
        self._lines, self._bytes = [], 0

    def _run(self, at: int, end: int) -> Iterator[tuple[float, int, bytes]]:
        # One file for all runs, read at several places: no limit of open files is met.
        while at < end:
            self._file.seek(at)
            time, position, length = _HEAD.unpack(self._file.read(_HEAD.size))
            yield time, position, self._file.read(length)
            at += _HEAD.size + length
