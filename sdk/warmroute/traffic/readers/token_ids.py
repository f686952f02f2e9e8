"""Requests as token ids with their arrivals, as LLMServingSim reads them.

Format: ``{"input_toks", "output_toks", "arrival_time_ns", "input_tok_ids", "output_tok_ids"}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.block_hashes import blocks_of_tokens
from warmroute.traffic.entries.fields import count, listed, seconds
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 16
"""Tokens to a block, as vLLM has them."""


def _recognises(value: Mapping[str, Any]) -> bool:
    return "arrival_time_ns" in value and "input_toks" in value


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    tokens = listed(value, "input_tok_ids")
    length = count(value, "input_toks")
    if tokens and length != len(tokens):
        raise BadEntryError("input_toks is not the number of input_tok_ids")
    block_tokens = reading.block_tokens or BLOCK_TOKENS
    blocks = blocks_of_tokens(tokens, block_tokens)
    arrival = seconds(value, "arrival_time_ns", per_second=1_000_000_000)
    yield reading.request(
        entry,
        None,
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        input_tokens=length,
        output_tokens=count(value, "output_toks"),
        block_hashes=blocks,
        block_tokens=block_tokens if blocks else 0,
    )


READER = Reader(_recognises, _read, "input_toks and arrival_time_ns (LLMServingSim)")
