"""Alibaba Cloud's Bailian traces: arrivals, lengths and hashes of blocks, with the requests of a chat linked.

Format: ``{"chat_id", "parent_chat_id": -1 for none, "timestamp": seconds, "input_length", "output_length", "type",
"turn": from 1, "hash_ids": [one for each 16 tokens]}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.block_hashes import told_blocks
from warmroute.traffic.entries.fields import count, seconds, text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 16


def _recognises(value: Mapping[str, Any]) -> bool:
    return "chat_id" in value and "input_length" in value


def _read(entry: Entry, reading: Reading) -> Iterator[TrafficRequest]:
    value = entry.value
    chat, length, turn = text(value, "chat_id"), count(value, "input_length"), count(value, "turn")
    if length is None or not chat:
        raise BadEntryError("no chat_id or input_length")
    block_tokens = reading.block_tokens or BLOCK_TOKENS
    blocks = told_blocks(value, block_tokens)
    parent = text(value, "parent_chat_id")
    session = (reading.sessions.get(parent) or parent) if parent not in ("", "-1") else chat
    reading.sessions.add(chat, session)
    yield reading.request(
        entry,
        None,
        request_id=chat,
        arrival_seconds=seconds(value, "timestamp").at,
        session=session,
        turn=turn - 1 if turn else None,
        input_tokens=length,
        output_tokens=count(value, "output_length"),
        block_hashes=blocks,
        block_tokens=block_tokens if blocks else 0,
    )


READER = Reader(_recognises, _read, "chat_id and input_length (Bailian)", ids_are_unique="in their file")
