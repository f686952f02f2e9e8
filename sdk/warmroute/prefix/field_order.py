"""The order of the fields of a request: what the model reads first, what changes from call to call last.

Version 1. Any change to it changes the routing key of every request, so it comes with a new version:

- Request: ``HEAD``, then fields of other names by name, then ``TAIL``.
- ``messages[]``: role, content, others by name. ``content[]``: type, others by name.
- ``tool_calls[]``: type, function, others by name, id. ``function`` in it, ``function_call``: name, arguments, others.
- ``tools[]``: type, function, others by name. ``function`` in it, ``functions[]``: name, description, parameters,
  others.

Nothing else moves. The keys of ``parameters`` and ``arguments``, the order of tools and every text are part of the
prompt (chat templates render them as they come), so they stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

FIELD_ORDER_VERSION = 1
"""Version of the order that this module describes."""

HEAD = (
    "model",
    "cache_salt",
    "tools",
    "functions",
    "system",
    "messages",
    "inputs",
    "prompt",
    "input",
)
"""What decides the KV cache, the stable before the growing: a LoRA adapter, vLLM's salt, tools, then the text."""

TAIL = (
    # How to sample.
    "parameters",
    "best_of",
    "frequency_penalty",
    "ignore_eos",
    "length_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "min_p",
    "min_tokens",
    "n",
    "presence_penalty",
    "repetition_penalty",
    "stop",
    "stop_token_ids",
    "temperature",
    "top_k",
    "top_logprobs",
    "top_p",
    "use_beam_search",
    # How to answer.
    "stream",
    "stream_options",
    "service_tier",
    "priority",
    "store",
    # Who asks, and which call this is.
    "prompt_cache_key",
    "safety_identifier",
    "user",
    "session_id",
    "metadata",
    "seed",
    "request_id",
)
"""What no template renders and callers change from call to call."""


def in_order(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The request with its fields in canonical order; the request itself stays as it is.

    Args:
        request: A chat, completion, ``inputs`` or embedding request. Parts of unexpected types are left alone.
    """
    return _arranged(request, _REQUEST)


class TextMessages(list[dict[str, str]]):
    """Messages of a role and a text in this order and nothing else: most chats, and nothing in them to arrange."""

    @classmethod
    def of(cls, messages: object) -> TextMessages | None:
        """The messages, if all are such; one quick look at each is why a long chat stays cheap."""
        if type(messages) is not list or set(map(type, messages)) != {dict}:
            return None
        try:
            for message in messages:
                first, second = message
                if first != "role" or second != "content":
                    return None
                if type(message["content"]) is not str or type(message["role"]) is not str:
                    return None
        except ValueError:  # Not two fields.
            return None
        return cls(messages)


@dataclass(frozen=True, eq=False, slots=True)
class _Order:
    """The order of the members of one kind of object, and of the objects inside it that have one too."""

    first: tuple[str, ...]
    last: tuple[str, ...] = ()
    objects: Mapping[str, _Order] = field(default_factory=dict)
    lists: Mapping[str, _Order] = field(default_factory=dict)


_FUNCTION = _Order(("name", "description", "parameters"))
_CALLED_FUNCTION = _Order(("name", "arguments"))
_MESSAGE = _Order(
    ("role", "content"),
    objects={"function_call": _CALLED_FUNCTION},
    lists={
        "content": _Order(("type",)),
        "tool_calls": _Order(("type", "function"), ("id",), objects={"function": _CALLED_FUNCTION}),
    },
)
_REQUEST = _Order(
    HEAD,
    TAIL,
    lists={
        "tools": _Order(("type", "function"), objects={"function": _FUNCTION}),
        "functions": _FUNCTION,
        "messages": _MESSAGE,
    },
)


def _arranged(value: Mapping[str, Any], order: _Order) -> Mapping[str, Any]:
    """The value in order: itself where nothing has to move."""
    changed: dict[str, Any] = {}
    for name, inner in order.objects.items():
        part = value.get(name)
        if isinstance(part, Mapping) and (moved := _arranged(part, inner)) is not part:
            changed[name] = moved
    for name, inner in order.lists.items():
        part = value.get(name)
        if isinstance(part, (list, tuple)):
            changed[name] = _arranged_items(part, inner)
    fields = tuple(value)
    ordered = _fields_in_order(fields, order)
    if not changed and fields == ordered and type(value) is dict:
        return value
    return {name: changed[name] if name in changed else value[name] for name in ordered}


def _arranged_items(values: Sequence[Any], order: _Order) -> Sequence[Any]:
    quick = TextMessages.of(values) if order is _MESSAGE else None
    if quick is not None:
        return quick
    arranged = [_arranged(value, order) if isinstance(value, Mapping) else value for value in values]
    return (TextMessages.of(arranged) if order is _MESSAGE else None) or arranged


@lru_cache(maxsize=256)
def _fields_in_order(fields: tuple[str, ...], order: _Order) -> tuple[str, ...]:
    """Cached, since a program writes its fields in few ways."""
    if not all(isinstance(name, str) for name in fields):
        return fields  # No order among such keys; whoever writes the request names them as an error.
    others = sorted(set(fields).difference(order.first, order.last))
    return (
        *(name for name in order.first if name in fields),
        *others,
        *(name for name in order.last if name in fields),
    )
