"""What a container reads from a request, in vLLM's OpenAI-compatible shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from warmroute.local.engines.container import ContainerRefusal
from warmroute.local.engines.tool_calls import ToolCall, demanded_call
from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_OUTPUT_TOKENS = 64
"""Tokens of an answer for which no limit is given; a real model would decide itself."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A request for text, chat or not."""

    text: str
    """The prompt, with a stand-in for the model's chat template."""

    output_tokens: int
    finish_reason: str
    """``length`` where the request limits its answer, which is then that long; ``stop`` where it ends by itself, or
    what ends a call of a tool."""

    call: ToolCall | None
    """The call of a tool that the answer is; None for text."""

    stream: bool
    include_usage: bool
    """Whether a stream ends with a chunk of usage."""

    chat: bool
    model: str
    cache_salt: str


def read_completion(body: bytes) -> Completion:
    """A request as the container reads it.

    Raises:
        ContainerRefusal: It is not JSON, has neither ``messages`` nor ``prompt`` nor ``inputs``, or has a field of a
            wrong type.
    """
    return _completion(_values(body))


def read_chat_completion(body: bytes) -> Completion:
    """A chat request as the container reads it.

    Raises:
        ContainerRefusal: It is not JSON, has no ``messages``, or has a field of a wrong type.
    """
    values = _values(body)
    if values.get("messages") is None:
        raise ContainerRefusal(400, "The request has no messages.")
    return _completion(values)


def _values(body: bytes) -> dict[str, Any]:
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ContainerRefusal(400, f"JSON decode error: {error.msg}") from None
    if not isinstance(values, dict):
        raise ContainerRefusal(400, "The request is not a JSON object.")
    return values


def _completion(values: dict[str, Any]) -> Completion:
    parameters = _field(values, "parameters", dict, {})
    options = _field(values, "stream_options", dict, {})
    chat = values.get("messages") is not None
    limit = _limit({**parameters, **values})
    call = demanded_call(values) if chat else None
    output_tokens, finish_reason = DEFAULT_OUTPUT_TOKENS, "stop"
    if call is not None:
        output_tokens, finish_reason = -(-len(call.arguments) // CHARACTERS_PER_TOKEN), call.finish_reason
    if limit is not None and (call is None or limit < output_tokens):
        output_tokens, finish_reason = limit, "length"
    return Completion(
        text=_template(values) if chat else _prompt(values),
        output_tokens=output_tokens,
        finish_reason=finish_reason,
        call=call,
        stream=_field(values, "stream", bool, default=False),
        include_usage=_field(options, "include_usage", bool, default=False),
        chat=chat,
        model=_field(values, "model", str, ""),
        cache_salt=_field(values, "cache_salt", str, ""),
    )


def _template(values: Mapping[str, Any]) -> str:
    messages: Sequence[Any] = _field(values, "messages", list, [])
    if not messages:
        raise ContainerRefusal(400, "messages is empty: at least one message is needed.")
    parts = [f"<|tools|>{_json(values['tools'], 'tools')}"] if values.get("tools") else []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise ContainerRefusal(400, f"messages[{number}] must be an object.")
        role = _field(message, "role", str, "", at=f"messages[{number}].")
        rest = {key: value for key, value in message.items() if key not in {"role", "content"}}
        parts.append(f"<|{role}|>{_content(message.get('content'), number)}")
        parts += [_json(rest, f"messages[{number}]")] if rest else []
    return "".join([*parts, "<|assistant|>"])


def _content(content: Any, number: int) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else _json(content, f"messages[{number}].content")


def _prompt(values: Mapping[str, Any]) -> str:
    prompt = values.get("prompt", values.get("inputs"))
    if isinstance(prompt, list):
        raise ContainerRefusal(400, "The prompt is a list; the simulated container takes one prompt, as text.")
    if not isinstance(prompt, str) or not prompt:
        raise ContainerRefusal(400, "The request has no messages, prompt or inputs.")
    return prompt


def _json(value: object, at: str) -> str:
    try:
        return orjson.dumps(value).decode()
    except (orjson.JSONEncodeError, RecursionError):  # What orjson reads may be nested too deep for it to write.
        raise ContainerRefusal(400, f"{at} is nested too deep.") from None


def _limit(values: Mapping[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens", "max_new_tokens"):
        if values.get(name) is not None:
            limit = _field(values, name, int, 0)
            if limit < 1:
                raise ContainerRefusal(400, f"{name} must be at least 1, got {limit}.")
            return limit
    return None


Value = TypeVar("Value", bool, int, str, dict[str, Any], list[Any])


def _field(values: Mapping[str, Any], name: str, kind: type[Value], default: Value, *, at: str = "") -> Value:
    """A field of one type, or its default where it is null or absent."""
    value = values.get(name)
    if value is None:
        return default
    if type(value) is not kind:
        raise ContainerRefusal(400, f"{at}{name} must be {_KINDS[kind]}, got {_shown(value)}.")
    return value


def _shown(value: object) -> str:
    """A wrong value, where it is short; what a request says at length is not for a message."""
    return orjson.dumps(value).decode()[:40] if isinstance(value, (bool, int, float, str)) else type(value).__name__


_KINDS: dict[type, str] = {bool: "true or false", int: "an integer", str: "text", dict: "an object", list: "a list"}
