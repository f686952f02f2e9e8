"""The format of files, by what they begin with: all files that are read together have one."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from warmroute.traffic.entries.entry import Entry, entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.errors import TrafficError
from warmroute.traffic.reading.formats import READERS, Format, recognised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute.traffic.readers.reader import Reader
    from warmroute.traffic.sources.named import Source

_FIRST_ENTRIES = 20
"""Entries of a file by which its format is recognised."""

_FIRST_BYTES = 1 << 23
"""And as many bytes of them, lest the longest be held."""


class OneFormat:
    """The format of all files: the chosen one, or that of the first file that has any.

    Args:
        chosen: What the user named.
    """

    def __init__(self, chosen: Format | None) -> None:
        self._is_chosen, self._format, self._told_by = chosen is not None, chosen, ""

    def reader_of(self, source: Source, first: Sequence[Entry]) -> Reader | None:
        """How a file is read; None for one without entries, as long as no other has told the format.

        Args:
            source: The file.
            first: Its first entries; not looked at where the format was chosen.

        Raises:
            TrafficError: It is of no known format, or of another one than a file before it.
        """
        here = None if self._is_chosen else recognised(source.name, [entry.value for entry in first])
        if here and not self._format:
            self._format, self._told_by = here, source.name
        if here and here is not self._format:
            raise TrafficError(
                f"{source.name}: the format is {here}, but that of {self._told_by} is {self._format}.",
                "Read them one by one, or name one format with --input-format.",
            )
        return READERS[self._format] if self._format else None


def first_entries(found: Iterator[Entry]) -> list[Entry]:
    """The first entries of a file, which have to be put before the others again."""
    first: list[Entry] = []
    size = 0
    while len(first) < _FIRST_ENTRIES and size < _FIRST_BYTES and (entry := next(found, None)):
        first.append(entry)
        size += len(entry.data)
    return first


def head_of(source: Source, limit_bytes: int) -> list[Entry]:
    """The first entries of a file, which is closed again; what is no entry is counted only when it is read.

    Args:
        source: A file that opens again.
        limit_bytes: Longest entry that is read.
    """
    with closing(entries(source, Rejects(), limit_bytes=limit_bytes)) as found:
        return first_entries(found)
