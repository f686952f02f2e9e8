"""The requests of entries, without those that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.readers.reader import Reader, Reading
    from warmroute.traffic.readers.recent import Recent
    from warmroute.traffic.record import TrafficRequest


def sound(found: Iterable[Entry], reader: Reader, reading: Reading, seen: Recent[bool]) -> Iterator[TrafficRequest]:
    """The requests of entries; rejected are broken ones, prompts of no length, and ids met before.

    Args:
        found: The entries of a file.
        reader: That of its format.
        reading: Told what is rejected.
        seen: Ids of earlier requests, in other files too.
    """
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
