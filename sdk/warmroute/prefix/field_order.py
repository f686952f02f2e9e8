"""The order of the fields of a request: what the model reads first, what changes from call to call last.

Version 1, one order for every shape of body; a field that a body lacks is skipped:

- Request: ``model``, ``cache_salt``, ``tools``, ``functions``, ``system``, ``messages``, ``inputs``, ``prompt``,
  ``input``; then fields of other names by name; then ``TAIL``. With ``tools="after_messages"``, ``tools`` and
  ``functions`` follow ``input``.
- ``messages[]``: role, content, others by name. ``content[]``: type, others by name.
- ``tool_calls[]``: type, function, others by name, id. ``function`` in it, ``function_call``: name, arguments, others.
- ``tools[]``: type, function, others by name. ``function`` in it, ``functions[]``: name, description, parameters,
  others.

So ``{"inputs", "parameters", "stream"}`` is how a native text generation body goes out, ``{"model", "prompt",
"max_tokens"}`` a completion, ``{"model", "input", "dimensions", "encoding_format", "user"}`` an embedding.

Nothing else moves. The keys of ``parameters`` and ``arguments``, the order of tools and every text are part of the
prompt (chat templates render them as they come), so they stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from warmroute.errors import Finding, InvalidSettingsError, Severity

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

SAMPLING_PARAMETERS = frozenset(TAIL) | {
    "decoder_input_details",
    "details",
    "do_sample",
    "early_stopping",
    "grammar",
    "max_new_tokens",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "num_beams",
    "num_return_sequences",
    "return_full_text",
    "skip_special_tokens",
    "stop_sequences",
    "top_n_tokens",
    "typical_p",
    "watermark",
}
"""What never enters the prompt among the ``parameters`` of a native body, of TGI and DJL; ``adapter_id`` chooses a LoRA
adapter and ``truncate`` cuts the prompt, and a name that is not here may do either."""


@dataclass(frozen=True, slots=True)
class FieldOrder:
    """Where the tools of a request stand, and which version of the order applies.

    On InvokeEndpoint this decides what the first ``PrefixLength`` bytes hold:

    - ``before_messages`` buys stickiness. Tools fill the window with text that stays the same, so a conversation keeps
      its key from its first turn on; but all conversations with the same tools share that key, and one instance gets
      them until ``ConcurrencyThreshold`` sends the rest elsewhere. A ``PrefixAwareId`` per tenant spreads them again.
    - ``after_messages`` buys spread. System prompt and first messages tell conversations apart; but a conversation
      whose messages do not fill the window yet changes its key with every turn.

    Engines render tools where their chat template says, so this does not change what the model reads.

    Raises:
        InvalidSettingsError: Another place or version.
    """

    tools: Literal["before_messages", "after_messages"] = "before_messages"
    version: Literal[1] = 1

    def __post_init__(self) -> None:
        """Refuse what the types already exclude, for callers without a type checker."""
        if not isinstance(self.tools, str) or self.tools not in _REQUESTS:
            raise _bad("tools", "There is no such place for tools.", 'Use "before_messages" or "after_messages".')
        if type(self.version) is not int or self.version != 1:
            raise _bad("version", "There is no such version of the field order.", "The only version is 1.")


def check_order(order: object) -> None:
    """Refuse what is no order of fields.

    Raises:
        InvalidSettingsError: It is of another type.
    """
    if not isinstance(order, FieldOrder):
        raise _bad("order", f"The order is a {type(order).__name__}.", "Give a FieldOrder.")


def in_order(request: Mapping[str, Any], order: FieldOrder) -> Mapping[str, Any]:
    """The request with its fields in canonical order; the request itself stays as it is.

    Args:
        request: A chat, completion, ``inputs`` or embedding request. Parts of unexpected types are left alone.
        order: Where tools stand.
    """
    return _arranged(request, _REQUESTS[order.tools])


def fields_in_order(fields: tuple[str, ...], order: FieldOrder) -> tuple[str, ...]:
    """The names of a request's own fields in canonical order."""
    return _plan(fields, _REQUESTS[order.tools]).fields


def message_in_order(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """One of the ``messages`` with its fields in canonical order."""
    return _arranged(message, _MESSAGE)


def member_in_order(name: str, value: Any, order: FieldOrder) -> Any:
    """A member of a request with the fields inside it in canonical order."""
    inner = _REQUESTS[order.tools].lists.get(name)
    if inner is None or not isinstance(value, (list, tuple)):
        return value
    return [_arranged_item(item, inner) for item in value]


def has_field_order(path: tuple[str | int, ...]) -> bool:
    """Whether canonical order arranges the members of the object at this place of a request."""
    order: _Order | None = _REQUESTS["before_messages"]
    parts = iter(path)
    for part in parts:
        if order is None or isinstance(part, int):
            return False
        if part in order.lists:
            order = order.lists[part] if isinstance(next(parts, None), int) else None
        else:
            order = order.objects.get(part)
    return order is not None


@dataclass(frozen=True, eq=False, slots=True)
class _Order:
    """The order of the members of one kind of object, and of the objects inside it that have one too."""

    first: tuple[str, ...]
    last: tuple[str, ...] = ()
    objects: Mapping[str, _Order] = field(default_factory=dict)
    lists: Mapping[str, _Order] = field(default_factory=dict)
    plans: dict[tuple[str, ...], _Plan] = field(default_factory=dict)


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
_LISTS = {
    "tools": _Order(("type", "function"), objects={"function": _FUNCTION}),
    "functions": _FUNCTION,
    "messages": _MESSAGE,
}
_TOOLS = ("tools", "functions")
_REQUESTS = {
    "before_messages": _Order(HEAD, TAIL, lists=_LISTS),
    "after_messages": _Order((*(name for name in HEAD if name not in _TOOLS), *_TOOLS), TAIL, lists=_LISTS),
}


def _arranged(value: Mapping[str, Any], order: _Order) -> Mapping[str, Any]:
    """The value in order: itself where nothing has to move."""
    fields = tuple(value)
    plan = _plan(fields, order)
    changed: dict[str, Any] = {}
    for name, inner in plan.objects:
        part = value[name]
        if (moved := _arranged_item(part, inner)) is not part:
            changed[name] = moved
    for name, inner in plan.lists:
        part = value[name]
        if isinstance(part, (list, tuple)):
            items = [_arranged_item(item, inner) for item in part]
            if not all(map(operator.is_, items, part)):
                changed[name] = items
    if not changed and plan.fields == fields and type(value) is dict:
        return value
    return {name: changed[name] if name in changed else value[name] for name in plan.fields}


def _arranged_item(value: Any, order: _Order) -> Any:
    # The first test answers most questions; that of an abstract class costs as much as all else here.
    return _arranged(value, order) if type(value) is dict or isinstance(value, Mapping) else value


class _Plan(NamedTuple):
    """What to do with an object of certain fields."""

    fields: tuple[str, ...]
    objects: tuple[tuple[str, _Order], ...] = ()
    lists: tuple[tuple[str, _Order], ...] = ()


def _plan(fields: tuple[str, ...], order: _Order) -> _Plan:
    try:
        return order.plans.get(fields) or _new_plan(fields, order)
    except TypeError:
        return _Plan(fields)  # No order among keys that are not text; whoever writes the request names them.


def _new_plan(fields: tuple[str, ...], order: _Order) -> _Plan:
    present = set(fields)
    plan = _Plan(
        (
            *(name for name in order.first if name in present),
            *sorted(present.difference(order.first, order.last)),
            *(name for name in order.last if name in present),
        ),
        tuple((name, inner) for name, inner in order.objects.items() if name in present),
        tuple((name, inner) for name, inner in order.lists.items() if name in present),
    )
    # Subclasses may equal other names, and huge names come from elsewhere than a program's own fields.
    if len("".join(fields)) <= _USUAL_SIZE and all(type(name) is str for name in fields):
        if len(order.plans) >= _MAX_PLANS:
            order.plans.clear()
        order.plans[fields] = plan
    return plan


_USUAL_SIZE = 2_048
"""Characters of all names of an object above which its plan is not kept; twice what the names of this module have."""

_MAX_PLANS = 64
"""Plans that are kept for one kind of object, since a program writes its fields in few ways."""


def _bad(path: str, message: str, remedy: str) -> InvalidSettingsError:
    return InvalidSettingsError([Finding("WR006", Severity.ERROR, path, message, remedy)])
