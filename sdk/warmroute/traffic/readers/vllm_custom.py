"""vLLM's custom datasets: prompts without times.

Format: ``{"prompt", "output_tokens"}``. The latter is optional, but a prompt alone is recognised as a body of ``chat``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import count
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest


def _recognises(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("prompt"), str) and "output_tokens" in value


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    if not isinstance(entry.value.get("prompt"), str):
        raise BadEntryError("prompt is not a text")
    yield reading.request(entry, {"prompt": entry.value["prompt"]}, output_tokens=count(entry.value, "output_tokens"))


READER = Reader(_recognises, _read, "prompt with output_tokens (vLLM custom)")
