"""How a simulated container words its answer, in vLLM's OpenAI-compatible shapes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.local.engines.completion import Completion


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None
    """None where the engine does not report them (``enable_prompt_tokens_details``)."""

    def as_dict(self) -> dict[str, Any]:
        """The ``usage`` of an answer."""
        details = None if self.cached_tokens is None else {"cached_tokens": self.cached_tokens}
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": details,
        }


class Wording:
    """The words of one answer. They say nothing; their number, times and usage are what is simulated.

    Args:
        completion: The request.
        id: Identifier of the answer.
        model: Name of the model, where the request gives none.
    """

    def __init__(self, completion: Completion, id: str, model: str) -> None:  # noqa: A002
        self._completion = completion
        kind = "chat.completion" if completion.chat else "text_completion"
        self._call_id = f"{id}-call"
        self._head = {"id": id, "created": int(time.time()), "model": completion.model or model}
        self._kind = kind

    def whole(self, usage: Usage) -> bytes:
        """The answer in one piece."""
        said = self._said(0, usage.completion_tokens)
        for call in said.get("tool_calls", ()):
            del call["index"]  # Parts of a stream alone have it.
        content = {"message": {"role": "assistant", "content": None, **said}} if self._completion.chat else said
        choice = {"index": 0, **content, "finish_reason": self._completion.finish_reason}
        return orjson.dumps({**self._head, "object": self._kind, "choices": [choice], "usage": usage.as_dict()})

    def chunk(self, position: int, count: int, *, last: bool) -> bytes:
        """A server-sent event with some tokens.

        Args:
            position: Tokens sent before.
            count: Tokens to send.
            last: Whether the answer ends with them.
        """
        said = self._said(position, count)
        role = {"role": "assistant"} if position == 0 else {}
        content = {"delta": {**role, **said}} if self._completion.chat else said
        choice = {"index": 0, **content, "finish_reason": self._completion.finish_reason if last else None}
        return self._event([choice])

    def end(self, usage: Usage) -> bytes:
        """The end of a stream, with its usage where that was asked for."""
        tail = self._event([], usage=usage.as_dict()) if self._completion.include_usage else b""
        return tail + b"data: [DONE]\n\n"

    def _event(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        kind = f"{self._kind}.chunk" if self._completion.chat else self._kind
        return b"data: " + orjson.dumps({**self._head, "object": kind, "choices": choices, **more}) + b"\n\n"

    def _said(self, position: int, count: int) -> dict[str, Any]:
        """What some tokens say: a part of the text, or of a call's arguments, whose first part names the tool."""
        call = self._completion.call
        if call is None:
            text = "".join(self._words(position, count))
            return {"content": text} if self._completion.chat else {"text": text}
        begin, end = (tokens * CHARACTERS_PER_TOKEN for tokens in (position, position + count))
        function = {"name": call.name} if position == 0 else {}
        part = {"index": 0, "function": {**function, "arguments": call.arguments[begin:end]}}
        return {"tool_calls": [{**part, "id": self._call_id, "type": "function"} if position == 0 else part]}

    @staticmethod
    def _words(position: int, count: int) -> Iterator[str]:
        words = ("warm", " route", " to", " the", " cached", " prefix", ".", " ")
        return (words[number % len(words)] for number in range(position, position + count))
