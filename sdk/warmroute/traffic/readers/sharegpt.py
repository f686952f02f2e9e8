"""ShareGPT: conversations without times, one model call for each answer.

Format: a JSON list, or lines, of ``{"id", "conversations": [{"from": "human" | "gpt" | …, "value"}]}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.fields import text
from warmroute.traffic.errors import BadEntryError
from warmroute.traffic.readers.conversations import calls_of
from warmroute.traffic.readers.reader import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.record import TrafficRequest

_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
}


def _recognises(value: Mapping[str, Any]) -> bool:
    turns = value.get("conversations")
    return isinstance(turns, list) and all(isinstance(turn, dict) and "from" in turn for turn in turns[:1])


def _read(entry: Entry, reading: Reading) -> Iterable[TrafficRequest]:
    turns = entry.value.get("conversations")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise BadEntryError("conversations is not a list of objects")
    messages = [{"role": _role(turn.get("from")), "content": turn.get("value")} for turn in turns]
    return calls_of(entry, reading, messages, session=text(entry.value, "id") or f"{entry.source}/{entry.line}")


def _role(name: object) -> str:
    if not isinstance(name, str) or name.lower() not in _ROLES:
        raise BadEntryError("a turn is from neither human, gpt, system nor tool")
    return _ROLES[name.lower()]


READER = Reader(_recognises, _read, "conversations with from and value (ShareGPT)")
