"""What a simulated container reads from a request, and how it words its answer, in vLLM's OpenAI-compatible shapes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from warmroute.local.data.failures import model_error

DEFAULT_OUTPUT_TOKENS = 64
"""Tokens of an answer for which no limit is given; a real model would decide itself."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A request for text, chat or not."""

    text: str
    """The prompt, with a stand-in for the model's chat template."""

    output_tokens: int
    stream: bool
    include_usage: bool
    """Whether a stream ends with a chunk of usage."""

    chat: bool
    model: str
    cache_salt: str


def read_completion(body: bytes) -> Completion:
    """A request as the container reads it.

    Raises:
        Refusal: It is not JSON, or has neither ``messages`` nor ``prompt`` nor ``inputs``.
    """
    return _completion(_values(body))


def read_chat_completion(body: bytes) -> tuple[Completion, dict[str, Any]]:
    """A chat request as the container reads it, and its plain values.

    Raises:
        Refusal: It is not JSON, or has no ``messages``.
    """
    values = _values(body)
    if not isinstance(values.get("messages"), list):
        raise model_error(400, "The request has no messages.")
    return _completion(values), values


def _values(body: bytes) -> dict[str, Any]:
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise model_error(400, f"JSON decode error: {error.msg}") from None
    if not isinstance(values, dict):
        raise model_error(400, "The request is not a JSON object.")
    return values


def _completion(values: dict[str, Any]) -> Completion:
    messages = values.get("messages")
    prompt = values.get("prompt", values.get("inputs"))
    if isinstance(messages, list) and messages:
        text = _template(messages, values.get("tools"))
    elif isinstance(prompt, str) and prompt:
        text = prompt
    else:
        raise model_error(400, "The request has no messages, prompt or inputs.")
    parameters = values.get("parameters")
    options = values.get("stream_options")
    return Completion(
        text=text,
        output_tokens=_limit({**(parameters if isinstance(parameters, dict) else {}), **values}),
        stream=values.get("stream") is True,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        chat=isinstance(messages, list),
        model=str(values.get("model") or ""),
        cache_salt=str(values.get("cache_salt") or ""),
    )


def _template(messages: Sequence[Any], tools: Any) -> str:
    parts = [f"<|tools|>{orjson.dumps(tools).decode()}"] if tools else []
    for message in messages:
        if not isinstance(message, Mapping):
            raise model_error(400, "Each message must be an object.")
        rest = {key: value for key, value in message.items() if key not in {"role", "content"}}
        parts.append(f"<|{message.get('role')}|>{_content(message.get('content'))}")
        parts += [orjson.dumps(rest).decode()] if rest else []
    return "".join([*parts, "<|assistant|>"])


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else orjson.dumps(content).decode()


def _limit(values: Mapping[str, Any]) -> int:
    for name in ("max_completion_tokens", "max_tokens", "max_new_tokens"):
        limit = values.get(name)
        if isinstance(limit, int) and not isinstance(limit, bool):
            if limit < 1:
                raise model_error(400, f"{name} must be at least 1, got {limit}.")
            return limit
    return DEFAULT_OUTPUT_TOKENS


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
        self._head = {"id": id, "created": int(time.time()), "model": completion.model or model}
        self._kind = kind

    def whole(self, usage: Usage) -> bytes:
        """The answer in one piece."""
        text = "".join(self._words(0, usage.completion_tokens))
        content = {"message": {"role": "assistant", "content": text}} if self._completion.chat else {"text": text}
        choice = {"index": 0, **content, "finish_reason": "length"}
        return orjson.dumps({**self._head, "object": self._kind, "choices": [choice], "usage": usage.as_dict()})

    def chunk(self, position: int, count: int, *, last: bool) -> bytes:
        """A server-sent event with some tokens.

        Args:
            position: Tokens sent before.
            count: Tokens to send.
            last: Whether the answer ends with them.
        """
        text = "".join(self._words(position, count))
        role = {"role": "assistant"} if position == 0 else {}
        content = {"delta": {**role, "content": text}} if self._completion.chat else {"text": text}
        choice = {"index": 0, **content, "finish_reason": "length" if last else None}
        return self._event([choice])

    def end(self, usage: Usage) -> bytes:
        """The end of a stream, with its usage where that was asked for."""
        tail = self._event([], usage=usage.as_dict()) if self._completion.include_usage else b""
        return tail + b"data: [DONE]\n\n"

    def _event(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        kind = f"{self._kind}.chunk" if self._completion.chat else self._kind
        return b"data: " + orjson.dumps({**self._head, "object": kind, "choices": choices, **more}) + b"\n\n"

    @staticmethod
    def _words(position: int, count: int) -> Iterator[str]:
        words = ("warm", " route", " to", " the", " cached", " prefix", ".", " ")
        return (words[number % len(words)] for number in range(position, position + count))
