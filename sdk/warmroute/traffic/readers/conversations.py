"""A recorded conversation as the model calls that made it: one for each answer, with all that was said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.readers.reader import Reading
    from warmroute.traffic.record import TrafficRequest

_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")
"""Fields of a message that the chat completions API takes."""


def calls_of(
    entry: Entry, reading: Reading, messages: Sequence[object], *, session: str, skip: str = ""
) -> Iterator[TrafficRequest]:
    """The model calls of a conversation.

    Args:
        entry: Where it was read.
        reading: The reading that it is part of.
        messages: All messages, oldest first, in the form of the chat completions API; other fields are left out.
        session: Its name.
        skip: A field by which an answer is marked as not the model's own, a demonstration for one.

    Raises:
        BadEntryError: A message is no object, or none is an answer; calls before it are given all the same.
    """
    said: list[Mapping[str, Any]] = []
    turn = 0
    for message in messages:
        if not isinstance(message, dict):
            raise BadEntryError("a message is not an object")
        sent = {name: message[name] for name in _FIELDS if message.get(name) is not None}
        if sent.get("role") == "assistant" and not (skip and message.get(skip)):
            yield reading.request(
                entry,
                {"messages": list(said)},
                request_id=f"{session}.{turn}",
                session=session,
                turn=turn,
                output_characters=_characters(sent),
            )
            turn += 1
        said.append(sent)
    if not turn:
        raise BadEntryError("no message is an answer")


def _characters(answer: Mapping[str, Any]) -> int:
    content = answer.get("content")
    calls = answer.get("tool_calls")
    return (len(content) if isinstance(content, str) else 0) + (len(orjson.dumps(calls)) if calls else 0)
