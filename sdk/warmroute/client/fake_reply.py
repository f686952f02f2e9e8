"""What the test double answers, in OpenAI's form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def completion_of(text: str, request: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A chat completion of a text; its usage counts words, not tokens."""
    prompt = sum(len(str(message.get("content") or "").split()) for message in request.get("messages") or ())
    written = len(text.split())
    return {
        "id": f"chatcmpl-fake-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model") or "",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    }


def streamed(completion: Mapping[str, Any], request: Mapping[str, Any]) -> Iterator[bytes]:
    """The chunks of a completion: one a word, then what else the messages hold, then usage if it was asked for."""
    head = {name: completion[name] for name in ("id", "created", "model") if name in completion}
    head["object"] = "chat.completion.chunk"
    for choice in completion.get("choices", ()):
        message = choice.get("message", {})
        words: list[dict[str, Any]] = [{"content": word} for word in _WORD.findall(message.get("content") or "")]
        calls = [{"index": position, **call} for position, call in enumerate(message.get("tool_calls") or ())]
        deltas = [{"role": "assistant"}, *words, *([{"tool_calls": calls}] if calls else [])]
        for delta in deltas:
            yield _event({**head, "choices": [{"index": choice.get("index", 0), "delta": delta}]})
        end = {"index": choice.get("index", 0), "delta": {}, "finish_reason": choice.get("finish_reason", "stop")}
        yield _event({**head, "choices": [end]})
    if (request.get("stream_options") or {}).get("include_usage") and completion.get("usage"):
        yield _event({**head, "choices": [], "usage": completion["usage"]})
    yield b"data: [DONE]\n\n"


_WORD = re.compile(r"\s*\S+|\s+")


def _event(chunk: Mapping[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(chunk) + b"\n\n"
