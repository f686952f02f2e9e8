"""A chat whose messages are mostly plain texts, written at nearly the speed of orjson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.prefix.canonical_error import MAX_DEPTH
from warmroute.prefix.field_order import FieldOrder, fields_in_order, message_in_order
from warmroute.prefix.json_writer import SCALARS, is_plain
from warmroute.prefix.known_tools import written_tools

if TYPE_CHECKING:
    from collections.abc import Iterable


def write_plain_chat(request: dict[str, Any], order: FieldOrder) -> bytes | None:
    """The canonical bytes of a chat, or None where only a closer look can tell them.

    A long chat has many small messages, so the cost is what Python does per message: one look at those that are already
    in order, and all of the work only for the others.
    """
    messages = request.get("messages")
    if type(messages) is not list:
        return None
    moved: dict[str, Any] = {}
    if not _are_texts_in_order(messages):
        moved["messages"] = _plain_messages(messages)
    for name, value in request.items():
        if type(value) in SCALARS or name == "messages":
            continue
        if name in {"tools", "functions"}:
            moved[name] = written_tools(name, value, order)
        elif not is_plain(value, MAX_DEPTH - 1):
            return None
    if None in moved.values():
        return None
    fields = tuple(request)
    names = fields_in_order(fields, order)
    if moved or names != fields:
        request = {name: moved[name] if name in moved else request[name] for name in names}
    try:
        # Without subclasses, orjson itself refuses a message that is a dict of some other order.
        return orjson.dumps(request, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:
        return None


def _are_texts_in_order(messages: Iterable[Any]) -> bool:
    """Whether each message is a role and a text, in this order, and nothing else; the caller checks that it is a dict.

    The first of two keys is the role and the content exists: then the second key needs no look. Two quick loops take
    less time than one, and ``__class__`` less than ``type``: orjson refuses what is not what its class says.
    """
    try:
        for first, _ in messages:
            if first != "role":
                return False
        for message in messages:
            if message["content"].__class__ is not str or message["role"].__class__ is not str:
                return False
    except (TypeError, ValueError, LookupError):  # Not a mapping, or one of other members.
        return False
    return True


def _plain_messages(messages: list[Any]) -> list[Any] | None:
    ordered: list[Any] = []
    for message in messages:
        try:
            ordered.append(_usual_message(message))
            continue
        except (LookupError, TypeError):
            pass  # Another kind of message.
        moved = message_in_order(message) if type(message) is dict else message
        if not is_plain(moved, MAX_DEPTH - 2):
            return None
        ordered.append(moved)
    return ordered


def _usual_message(message: Any) -> dict[str, Any]:
    """A message of an agent's loop in order: a text, a result of a tool, or calls of tools.

    It is what ``field_order`` says of these, written out, since general code takes five times as long. Their number
    and the lookup of each is all that has to be known of the names of members.

    Raises:
        LookupError: It is another kind of message, or not plain.
        TypeError: The same.
    """
    if type(message) is not dict:
        raise TypeError
    role, content = message["role"], message["content"]
    if type(role) is not str or (type(content) is not str and content is not None):
        raise TypeError
    if len(message) == 2:
        return {"role": role, "content": content}
    if len(message) != 3:
        raise TypeError
    if "tool_call_id" in message:
        id_ = message["tool_call_id"]
        if type(id_) is not str:
            raise TypeError
        return {"role": role, "content": content, "tool_call_id": id_}
    return {"role": role, "content": content, "tool_calls": _usual_calls(message["tool_calls"])}


def _usual_calls(calls: Any) -> list[dict[str, Any]]:
    if type(calls) is not list:
        raise TypeError
    ordered = []
    for call in calls:
        kind, function, id_ = call["type"], call["function"], call["id"]
        name, arguments = function["name"], function["arguments"]
        if type(call) is not dict or type(function) is not dict or len(call) != 3 or len(function) != 2:
            raise TypeError
        if not type(name) is type(arguments) is type(kind) is type(id_) is str:
            raise TypeError
        ordered.append({"type": kind, "function": {"name": name, "arguments": arguments}, "id": id_})
    return ordered
