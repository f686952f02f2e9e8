"""What the test double answers: in OpenAI's form, or in that of the requests of a container of its own."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def reply_of(text: str, request: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The answer that fits a request: a text, or vectors for an embedding request."""
    if "messages" not in request:
        if "inputs" in request:
            return {"generated_text": text}
        if "input" in request:
            return _embeddings(request)
    return _completion(text, request, number)


def _completion(text: str, request: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A completion, of a chat unless there is a prompt; its usage counts words, not tokens."""
    is_chat = "messages" in request or "prompt" not in request
    prompt, written = _words(request.get("messages") if is_chat else request["prompt"]), _words(text)
    said = {"message": {"role": "assistant", "content": text}} if is_chat else {"text": text}
    return {
        "id": f"chatcmpl-fake-{number}" if is_chat else f"cmpl-fake-{number}",
        "object": "chat.completion" if is_chat else "text_completion",
        "created": 0,
        "model": request.get("model") or "",
        "choices": [{"index": 0, **said, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    }


def _words(value: object) -> int:
    """Words of a text, of a message's content, of its text parts, or of a list of any of these."""
    if isinstance(value, str):
        return len(value.split())
    if isinstance(value, dict):
        return _words(value.get("content", value.get("text")))
    return sum(map(_words, value)) if isinstance(value, list) else 0


def _embeddings(request: Mapping[str, Any]) -> dict[str, Any]:
    given = request["input"]
    inputs = given if isinstance(given, list) and given and not isinstance(given[0], int) else [given]
    wanted = request.get("dimensions")
    size = wanted if type(wanted) is int and wanted > 0 else 8
    vectors: list[Any] = [_vector(one, size) for one in inputs]
    if request.get("encoding_format") == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{size}f", *vector)).decode() for vector in vectors]
    words = sum(map(_words, inputs))
    return {
        "object": "list",
        "model": request.get("model") or "",
        "data": [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)],
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def _vector(value: object, size: int) -> list[float]:
    """Numbers between -1 and 1 that equal inputs share."""
    digest = hashlib.shake_256(orjson.dumps(value)).digest(2 * size)
    return [number / 32_768 for number in struct.unpack(f"<{size}h", digest)]


def streamed(completion: Mapping[str, Any], request: Mapping[str, Any]) -> Iterator[bytes]:
    """The chunks of a completion: one a word, then what else the messages hold, then usage if it was asked for."""
    head = {name: completion[name] for name in ("id", "created", "model") if name in completion}
    is_chat = completion.get("object") != "text_completion"
    head["object"] = "chat.completion.chunk" if is_chat else "text_completion"
    for choice in completion.get("choices", ()):
        index = choice.get("index", 0)
        for piece in _chat_pieces(choice) if is_chat else _text_pieces(choice):
            yield _event({**head, "choices": [{"index": index, **piece}]})
    options = request.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") and completion.get("usage"):
        yield _event({**head, "choices": [], "usage": completion["usage"]})
    yield b"data: [DONE]\n\n"


def _chat_pieces(choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    message = choice.get("message", {})
    yield {"delta": {"role": "assistant"}}
    for word in _WORD.findall(message.get("content") or ""):
        yield {"delta": {"content": word}}
    calls = [{"index": position, **call} for position, call in enumerate(message.get("tool_calls") or ())]
    if calls:
        yield {"delta": {"tool_calls": calls}}
    yield {"delta": {}, "finish_reason": choice.get("finish_reason", "stop")}


def _text_pieces(choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for word in _WORD.findall(choice.get("text") or ""):
        yield {"text": word}
    yield {"text": "", "finish_reason": choice.get("finish_reason", "stop")}


_WORD = re.compile(r"\s*\S+|\s+")


def _event(chunk: Mapping[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(chunk) + b"\n\n"
