"""vLLM's timed traces: arrivals, lengths and hashes of blocks.

Format: ``{"timestamp": seconds, "input_length", "output_length", "hash_ids": [one for each 16 tokens]}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.block_hashes import told_blocks
from warmroute.traffic.entries.fields import count, seconds
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.mooncake import has_small_blocks
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 16


def _recognises(value: Mapping[str, Any]) -> bool:
    return "chat_id" not in value and has_small_blocks(value)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    length = count(value, "input_length")
    if length is None:
        raise BadEntryError("no input_length")
    block_tokens = reading.block_tokens or BLOCK_TOKENS
    blocks = told_blocks(value, block_tokens)
    yield reading.request(
        entry,
        None,
        arrival_seconds=seconds(value, "timestamp").at,
        input_tokens=length,
        output_tokens=count(value, "output_length"),
        block_hashes=blocks,
        block_tokens=block_tokens if blocks else 0,
    )


READER = Reader(_recognises, _read, "input_length with a hash_id for each 16 tokens (vLLM timed trace)")
