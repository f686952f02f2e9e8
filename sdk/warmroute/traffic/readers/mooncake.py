"""Mooncake traces, and what AIPerf adds to them.

Format: ``{"timestamp": milliseconds, "input_length", "output_length", "hash_ids": [one for each 512 tokens]}``. AIPerf
takes exactly one of ``input_length``, ``text_input``, ``messages`` (with ``tools`` and ``extra``) and ``payload``, a
``delay`` in milliseconds instead of a timestamp, and a ``session_id``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.block_hashes import fits, told_blocks
from warmroute.traffic.entries.fields import count, listed, mapping, seconds, text
from warmroute.traffic.entries.raw_member import raw_member
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 512
_ONE_OF = ("input_length", "text_input", "messages", "payload")
_OLDEST_DATE_SECONDS, _LATEST_DATE_SECONDS = 1_000_000_000, 100_000_000_000


def _recognises(value: Mapping[str, Any]) -> bool:
    if "messages" in value:
        return not {"timestamp", "delay", "output_length"}.isdisjoint(value) and not _is_date_in_seconds(value)
    if "text_input" in value or isinstance(value.get("payload"), dict):
        return True
    return "input_length" in value and "chat_id" not in value and not has_small_blocks(value)


def has_small_blocks(value: Mapping[str, Any]) -> bool:
    """Whether ``hash_ids`` are too many for blocks of 512 tokens, as in vLLM's timed traces."""
    length, blocks = value.get("input_length"), len(listed(value, "hash_ids"))
    return type(length) is int and blocks > 1 and not fits(length, blocks, BLOCK_TOKENS) and fits(length, blocks, 16)


def _is_date_in_seconds(value: Mapping[str, Any]) -> bool:
    """Whether a timestamp is of this century in seconds, and not in milliseconds; or a text."""
    at = value.get("timestamp")
    return isinstance(at, str) or (isinstance(at, (int, float)) and _OLDEST_DATE_SECONDS <= at < _LATEST_DATE_SECONDS)


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    if sum(value.get(name) is not None for name in _ONE_OF) != 1:
        raise BadEntryError("not exactly one of input_length, text_input, messages and payload")
    arrival = seconds(value, "timestamp", per_second=1_000)
    block_tokens = reading.block_tokens or BLOCK_TOKENS
    blocks = told_blocks(value, block_tokens)
    payload = mapping(value, "payload")
    yield reading.request(
        entry,
        payload or _request(value),
        body=raw_member(entry.data, "payload") if payload else None,
        arrival_seconds=arrival.at,
        arrival_resolution_seconds=arrival.resolution,
        delay_seconds=seconds(value, "delay", per_second=1_000).at,
        session=text(value, "session_id"),
        input_tokens=count(value, "input_length"),
        output_tokens=count(value, "output_length"),
        block_hashes=blocks,
        block_tokens=block_tokens if blocks else 0,
    )


def _request(value: Mapping[str, Any]) -> dict[str, Any] | None:
    if isinstance(value.get("messages"), list):
        tools = {"tools": value["tools"]} if value.get("tools") else {}
        return {**mapping(value, "extra"), "messages": value["messages"], **tools}
    if isinstance(value.get("text_input"), str):
        return {"prompt": value["text_input"]}
    if value.get("input_length") is None:
        raise BadEntryError("text_input is not a text, messages not a list, or payload not an object")
    return None


READER = Reader(
    _recognises, _read, "input_length, text_input, payload, or messages with timestamp or output_length (Mooncake)"
)
