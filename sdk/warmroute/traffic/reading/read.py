"""Reads recorded traffic of any known format: the one way in."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

from warmroute.traffic.entries.entry import LINE_LIMIT_BYTES, entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.errors import TrafficError
from warmroute.traffic.readers.follow_ups import sampling_note
from warmroute.traffic.readers.reader import Reading
from warmroute.traffic.readers.recent import Recent
from warmroute.traffic.reading.batch_answers import left_over, outputs_first
from warmroute.traffic.reading.formats import Format
from warmroute.traffic.reading.ordering import nearly_ordered
from warmroute.traffic.reading.overlapping import overlapping_reader, part_of, side_by_side
from warmroute.traffic.reading.recognising import OneFormat, first_entries
from warmroute.traffic.reading.sound import sound
from warmroute.traffic.sources.named import find_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from warmroute.traffic.record import TrafficRequest
    from warmroute.traffic.sources.named import Source

Bodies = Literal["recorded", "canonical", "recorded_or_canonical"]


def read_traffic(
    paths: str | Path | Iterable[str | Path],
    *,
    format: Format | str | None = None,  # noqa: A002
    rejects: Rejects | str | Path | None = None,
    bodies: Bodies = "recorded",
    block_tokens: int | None = None,
    sampling_percentage: float | None = None,
    line_limit_bytes: int = LINE_LIMIT_BYTES,
) -> Iterator[TrafficRequest]:
    """The requests of recorded traffic, one at a time, in memory that does not grow with it.

    They come in the order of the names given, of paths within a directory, and of lines within a file; those of Data
    Capture, which every instance writes for itself and as calls end, in the order of their times: files that overlap
    are read side by side, and put in order as far as 64 MiB of requests reach. An output file of an OpenAI batch is
    joined to its inputs and read after them.

    A line becomes requests, or a reject; a request with a doubt is noted. Rejected are lines that are broken, too long
    or of another format, prompts of no length, and ids met before; noted are arrivals before the one above.

    Args:
        paths: Files, directories, patterns, ``s3://`` URIs, or ``-`` for standard input. gzip and zstd are read.
        format: The format; recognised from each file's first entries if not given.
        rejects: What counts the rejects and notes, or the path of a file to write them to.
        bodies: "recorded" gives the bodies that the source holds to the byte, and none otherwise; "canonical" gives
            what ``canonical_json`` would send, of every request whose text is known; "recorded_or_canonical" gives the
            first where there is one, else the second.
        block_tokens: Tokens to a block of hashes, if not the format's own: 512 for Mooncake, else 16.
        sampling_percentage: The ``InitialSamplingPercentage`` of a capture, to note what less than 100 leaves out.
        line_limit_bytes: Longest line, or object of a JSON document, that is read; up to four times as much memory.

    Raises:
        TrafficError: No such file; an unknown format, or several; no request at all.
        MissingExtraError: zstd or ``s3://``, without the extra ``analysis``.
    """
    chosen = _format(format)
    for name, value in (("block_tokens", block_tokens), ("line_limit_bytes", line_limit_bytes)):
        if value is not None and value < 1:
            raise TrafficError(f"{name} is {value}.", "Give 1 or more.")
    if bodies not in get_args(Bodies):
        raise TrafficError("There are no such bodies.", f"Use one of: {', '.join(get_args(Bodies))}.")
    if sampling_percentage is not None and not 0 < sampling_percentage <= 100:
        raise TrafficError(f"sampling_percentage is {sampling_percentage}.", "Give more than 0, and 100 at most.")
    sources = find_sources(paths)
    counts = rejects if isinstance(rejects, Rejects) else Rejects(rejects)
    reading = Reading(
        counts,
        canonical_bodies=bodies == "canonical",
        fills_bodies=bodies == "recorded_or_canonical",
        block_tokens=block_tokens,
    )
    if sampling_percentage is not None and sampling_percentage < 100:
        reason = (
            f"captured at {sampling_percentage:g} %: follow-ups lack the request before, and reuse is under-counted"
        )
        counts.note(sources[0].name, 0, reason)
    return _requests(sources, chosen, reading, line_limit_bytes, closes=counts is not rejects)


def _format(name: Format | str | None) -> Format | None:
    try:
        return Format(name) if name is not None else None
    except ValueError:
        raise TrafficError(f"There is no format {name!r}.", f"Use one of: {', '.join(Format)}.") from None


def _requests(
    sources: list[Source], chosen: Format | None, reading: Reading, limit_bytes: int, *, closes: bool
) -> Iterator[TrafficRequest]:
    total = 0
    try:
        for found in _of_sources(sources, chosen, reading, limit_bytes):
            total += 1
            yield found
        if note := sampling_note(reading):
            reading.rejects.note(sources[0].name, 0, note)
        if not total:
            what = sources[0].name if len(sources) == 1 else f"{sources[0].name} and {len(sources) - 1:,} more files"
            told = " ".join(reading.rejects.summary()) or "There is nothing in it."
            raise TrafficError(f"{what}: no request. {told}", "Is it complete, and of this format?")
    finally:
        if closes:
            reading.rejects.close()


def _of_sources(
    sources: list[Source], chosen: Format | None, reading: Reading, limit_bytes: int
) -> Iterator[TrafficRequest]:
    one_format, seen = OneFormat(chosen), Recent[bool]()
    if len(sources) > 1 and (reader := overlapping_reader(sources, one_format, limit_bytes)):
        parts = [part_of(source, reader, one_format, reading, seen, limit_bytes) for source in sources]
        yield from _noting_order(nearly_ordered(side_by_side(parts)), reading)
        return
    for source in outputs_first(sources) if chosen in {None, Format.OPENAI_BATCH} else sources:
        found = entries(source, reading.rejects, limit_bytes=limit_bytes)
        first = [] if chosen else first_entries(found)
        if reader := one_format.reader_of(source, first):
            requests = sound(chain(first, found), reader, reading, seen)
            yield from _noting_order(nearly_ordered(requests) if reader.by_completion else requests, reading)
    yield from left_over(reading)


def _noting_order(requests: Iterable[TrafficRequest], reading: Reading) -> Iterator[TrafficRequest]:
    latest = 0.0
    for request in requests:
        if request.arrival_seconds is not None:
            if request.arrival_seconds < latest:
                reading.rejects.note(request.source, request.line, "arrives before one above it")
            latest = max(latest, request.arrival_seconds)
        yield request
