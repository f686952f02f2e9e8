"""One chat request of a conversation, as an application sends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A model call: the messages so far, and how long the answer was."""

    session: str
    """The conversation that the call belongs to."""

    turn: int
    """Position of the call in its conversation, from 0."""

    messages: tuple[dict[str, Any], ...]
    """Messages sent, oldest first, in the form of the chat completions API."""

    answer_characters: int
    """Length of the answer, in characters."""
