"""Notices that a capture lacks requests: follow-ups whose conversation has no request before them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from warmroute.prefix.key import message_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.traffic.readers.reader import Reading

LEAST_FOLLOW_UPS = 50
"""Fewer tell nothing of a share."""

LEAST_SHARE_SEEN = 0.9
"""Share of follow-ups whose request before was seen; less looks sampled. The first conversations of a capture began
before it, and clients that drop old messages look the same."""


def watch(request: Mapping[str, Any] | None, reading: Reading) -> None:
    """Remember a request, and count it if it goes on from an answer.

    Args:
        request: The fields of its body.
        reading: Keeps the counts, and the fingerprints of the latest million requests.
    """
    messages = request.get("messages") if request else None
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return
    before = max((at for at, message in enumerate(messages) if message.get("role") == "assistant"), default=0)
    marks = _fingerprints(messages)
    if before:
        reading.follow_ups += 1
        if marks[before - 1] not in reading.prompts:
            reading.orphans += 1
            reading.awaited.add(marks[before - 1], (reading.awaited.pop(marks[before - 1]) or 0) + 1)
    if marks:
        reading.prompts.add(marks[-1], value=True)
        reading.orphans -= reading.awaited.pop(marks[-1]) or 0  # Files of several instances overlap in time.


def sampling_note(reading: Reading) -> str:
    """What the counts say of the capture; empty if nothing looks missing."""
    if reading.follow_ups < LEAST_FOLLOW_UPS:
        return ""
    seen = 1 - reading.orphans / reading.follow_ups
    if seen >= LEAST_SHARE_SEEN:
        return ""
    return f"only {seen:.0%} of the follow-ups have their request before in the capture: it looks sampled"


def _fingerprints(messages: list[Any]) -> list[int]:
    """A number for each beginning of a list of messages."""
    chain = hashlib.sha256()
    marks = []
    for message in messages:
        chain.update(f"\0{message.get('role')}\0".encode(errors="replace"))
        for _, text in message_texts({"messages": [message]}):
            chain.update(text.encode())
        marks.append(int.from_bytes(chain.digest()[:8], "big"))
    return marks
