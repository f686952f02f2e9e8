"""What a chat request is answered with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request, as the engine counted them."""

    prompt_tokens: int
    completion_tokens: int

    cached_tokens: int | None
    """Prompt tokens found in the KV cache: what prefix-aware routing is for. None where the engine does not report
    them; vLLM does with ``--enable-prompt-tokens-details``."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model asks to be called."""

    id: str
    name: str

    arguments: str
    """JSON as the model wrote it; send it back unchanged, since the model sees it again."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The reply to a chat request: its first choice, or as much of it as arrived."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()

    finish_reason: str | None = None
    """``stop``, ``length``, ``tool_calls``…; None if the reply broke off."""

    usage: Usage | None = None
    """None where the container reports none."""

    variant: str = ""
    """Production variant that served the request; SageMaker names no instance."""

    body: Mapping[str, Any] | None = field(default=None, repr=False)
    """The container's whole answer, other choices and log probabilities included; None for a stream, whose ``chunks``
    hold them."""


def usage_of(answer: Mapping[str, Any]) -> Usage | None:
    """The usage of an answer or a chunk in OpenAI's form."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(
        _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), None if cached is None else cached
    )


def first_choice(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The choice of index 0, which is not always the first of the list in a stream."""
    choices = answer.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
            return choice
    return None


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
