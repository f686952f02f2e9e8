"""Files that overlap in time, as the instances of an endpoint write them: read side by side, in the order of time."""

from __future__ import annotations

import heapq
from collections import deque
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from warmroute.traffic.entries.entry import entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.readers.reader import Reading
from warmroute.traffic.readers.recent import Recent
from warmroute.traffic.reading.recognising import first_entries, head_of
from warmroute.traffic.reading.sound import sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.traffic.readers.reader import Reader
    from warmroute.traffic.reading.recognising import OneFormat
    from warmroute.traffic.record import TrafficRequest
    from warmroute.traffic.sources.named import Source

MOST_OPEN = 256
"""Files open at a time, of the 1,024 that most systems allow a process."""


def overlapping_reader(sources: Iterable[Source], one_format: OneFormat, limit_bytes: int) -> Reader | None:
    """How files are read, if they are of a format that instances write side by side.

    Args:
        sources: The files.
        one_format: Told the format of the first that has entries.
        limit_bytes: Longest entry that is read.
    """
    readers = (one_format.reader_of(source, head_of(source, limit_bytes)) for source in sources if source.opens_again)
    reader = next(filter(None, readers), None)
    return reader if reader and reader.by_completion else None


class Part(NamedTuple):
    """A file."""

    begins: float
    """The first arrival in it."""

    requests: Iterator[TrafficRequest]
    """By arrival, more or less; nothing is opened before they are asked for."""


def side_by_side(parts: Iterable[Part], *, most_open: int = MOST_OPEN) -> Iterator[TrafficRequest]:
    """The requests of several files by arrival, as far as those of each file are; of one time, in the order of files.

    Args:
        parts: The files. A request without an arrival comes right behind the one before it in its file.
        most_open: Files that may be open at a time; where more overlap, those that begin last wait.
    """
    waiting = deque(sorted(enumerate(parts), key=lambda each: each[1].begins))
    heads: list[tuple[float, int, TrafficRequest, Iterator[TrafficRequest]]] = []

    def advance(position: int, requests: Iterator[TrafficRequest], latest: float) -> None:
        if (request := next(requests, None)) is not None:
            at = latest if request.arrival_seconds is None else request.arrival_seconds
            heapq.heappush(heads, (at, position, request, requests))

    while waiting or heads:
        while waiting and len(heads) < most_open and (not heads or waiting[0][1].begins <= heads[0][0]):
            position, part = waiting.popleft()
            advance(position, part.requests, -inf)
        if heads:
            at, position, request, requests = heapq.heappop(heads)
            yield request
            advance(position, requests, at)


def part_of(
    source: Source, reader: Reader, one_format: OneFormat, reading: Reading, seen: Recent[bool], limit_bytes: int
) -> Part:
    """A file that is read beside others.

    Args:
        source: The file; looked into, and closed again if it opens again.
        reader: That of all files.
        one_format: What the others are too.
        reading: Told what is rejected.
        seen: Ids of earlier requests.
        limit_bytes: Longest entry that is read.

    Raises:
        TrafficError: It cannot be read, or is of another format.
    """
    found = entries(source, reading.rejects, limit_bytes=limit_bytes)
    first = head_of(source, limit_bytes) if source.opens_again else first_entries(found)
    one_format.reader_of(source, first)  # Refuses another format.
    arrivals = (request.arrival_seconds for request in sound(first, reader, Reading(Rejects()), Recent()))
    begins = next((at for at in arrivals if at is not None), -inf)
    return Part(begins, sound(found if source.opens_again else chain(first, found), reader, reading, seen))
