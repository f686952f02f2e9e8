"""A chat whose messages are mostly plain texts, written at nearly the speed of orjson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.prefix.canonical_error import MAX_DEPTH
from warmroute.prefix.field_order import FieldOrder, fields_in_order, member_in_order, message_in_order
from warmroute.prefix.json_writer import SCALARS, is_plain

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
    if not _are_texts_in_order(messages):
        messages = _plain_messages(messages)
        if messages is None:
            return None
    members: dict[str, Any] = {}
    for name in fields_in_order(tuple(request), order):
        value = request[name]
        if name == "messages":
            value = messages
        elif type(value) not in SCALARS and not (type(value) is float and 1e-4 <= value <= 1):
            value = member_in_order(name, value, order)
            if not is_plain(value, MAX_DEPTH - 1):
                return None
        members[name] = value
    try:
        # Without subclasses, orjson itself refuses a message that is a dict of some other order.
        return orjson.dumps(members, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:
        return None


def _are_texts_in_order(messages: Iterable[Any]) -> bool:
    """Whether each message is a role and a text, in this order, and nothing else; the caller checks that it is a dict.

    The first of two keys is the role and the content exists: then the second key needs no look.
    """
    try:
        for message in messages:
            first, _ = message
            if first != "role" or type(message["content"]) is not str or type(message["role"]) is not str:
                return False
    except (TypeError, ValueError, LookupError):  # Not a mapping, or one of other members.
        return False
    return True


def _plain_messages(messages: list[Any]) -> list[Any] | None:
    ordered = []
    for message in messages:
        is_dict = type(message) is dict
        if is_dict and len(message) == 2 and _are_texts_in_order((message,)):
            ordered.append(message)
            continue
        moved = message_in_order(message) if is_dict else message
        if not is_plain(moved, MAX_DEPTH - 2):
            return None
        ordered.append(moved)
    return ordered
