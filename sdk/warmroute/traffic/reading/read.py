"""Reads recorded traffic of any known format: the one way in."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Literal, get_args

from warmroute.traffic.entries.entry import LINE_LIMIT_BYTES, Entry, entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.errors import BadEntryError, TrafficError
from warmroute.traffic.readers.follow_ups import sampling_note
from warmroute.traffic.readers.reader import Reading
from warmroute.traffic.readers.recent import Recent
from warmroute.traffic.reading.batch_answers import left_over, outputs_first
from warmroute.traffic.reading.formats import READERS, Format, recognised
from warmroute.traffic.reading.ordering import nearly_ordered
from warmroute.traffic.sources.named import find_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from warmroute.traffic.readers.reader import Reader
    from warmroute.traffic.record import TrafficRequest
    from warmroute.traffic.sources.named import Source

Bodies = Literal["recorded", "canonical", "recorded_or_canonical"]

_FIRST_ENTRIES = 20
"""Entries of a file by which its format is recognised."""

_FIRST_BYTES = 1 << 23
"""And as many bytes of them, lest the longest be held."""


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

    They come in the order of the names given, of paths within a directory, and of lines within a file; those of a Data
    Capture file, written as calls end, are put in the order of their times as far as 64 MiB of them reach. Files that
    overlap in time are not merged. An output file of an OpenAI batch is joined to its inputs and read after them.

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
    seen: Recent[bool] = Recent()
    told_by = "--input-format" if chosen else ""
    for source in outputs_first(sources) if chosen in (None, Format.OPENAI_BATCH) else sources:
        found = entries(source, reading.rejects, limit_bytes=limit_bytes)
        if told_by != "--input-format":
            first, found = _ahead(found)
            here = recognised(source.name, first)
            if here is None:
                continue  # Its lines, if it has any, are among the rejects.
            if chosen is not None and here is not chosen:
                raise TrafficError(
                    f"{source.name}: the format is {here}, but that of {told_by} is {chosen}.",
                    "Read them one by one, or name one format with --input-format.",
                )
            told_by, chosen = told_by or source.name, here
        if chosen is not None:
            yield from _of_entries(found, chosen, reading, seen)
    yield from left_over(reading)


def _ahead(found: Iterator[Entry]) -> tuple[list[Mapping[str, Any]], Iterator[Entry]]:
    """The values of the first entries, and all entries, these included."""
    first: deque[Entry] = deque()
    while len(first) < _FIRST_ENTRIES and sum(len(entry.data) for entry in first) < _FIRST_BYTES:
        entry = next(found, None)
        if entry is None:
            break
        first.append(entry)

    def again() -> Iterator[Entry]:
        while first:
            yield first.popleft()
        yield from found

    return [entry.value for entry in first], again()


def _of_entries(
    found: Iterable[Entry], chosen: Format, reading: Reading, seen: Recent[bool]
) -> Iterator[TrafficRequest]:
    """The requests of one file."""
    read = _sound(found, READERS[chosen], reading, seen)
    latest = 0.0
    for request in nearly_ordered(read) if READERS[chosen].by_completion else read:
        if request.arrival_seconds is not None:
            if request.arrival_seconds < latest:
                reading.rejects.note(request.source, request.line, "arrives before one above it")
            latest = max(latest, request.arrival_seconds)
        yield request


def _sound(found: Iterable[Entry], reader: Reader, reading: Reading, seen: Recent[bool]) -> Iterator[TrafficRequest]:
    """The requests of entries, without those that are none."""
    for entry in found:
        try:
            for request in reader.read(entry, reading):
                fault = _emptiness(request) or _repetition(request, reader, seen)
                if fault:
                    reading.rejects.reject(entry.source, entry.line, fault)
                else:
                    yield request
        except BadEntryError as error:
            reading.rejects.reject(entry.source, entry.line, error.reason)


def _emptiness(request: TrafficRequest) -> str:
    if request.text == "":
        return "the prompt has no text"
    if request.text is None and not request.body and not request.block_hashes and not request.input_tokens:
        return "no prompt, nor how many tokens it had"
    return ""


def _repetition(request: TrafficRequest, reader: Reader, seen: Recent[bool]) -> str:
    if not request.request_id or not reader.ids_are_unique:
        return ""
    name = request.request_id if reader.ids_are_unique == "everywhere" else f"{request.source}:{request.request_id}"
    if name in seen:
        return "an id met before"
    seen.add(name, value=True)
    return ""
