"""Why two requests differ in the value of one member."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from warmroute.prefix.cause import Cause
from warmroute.prefix.field_order import SAMPLING_PARAMETERS, TAIL
from warmroute.prefix.json_writer import write
from warmroute.prefix.text_cause import cause_of_texts

if TYPE_CHECKING:
    from warmroute.prefix.json_place import JsonPath

ABSENT: Final = type("Absent", (), {"__slots__": ()})()
"""The value of a member that is not there."""


def member(value: Any, path: JsonPath) -> Any:
    """The member of a JSON value at a path, or ``ABSENT``."""
    for part in path:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return ABSENT
    return value


def cause_of_values(one: Any, other: Any, path: JsonPath) -> Cause:
    """Why two requests differ at a path at which they do.

    Args:
        one: The value of a request.
        other: The value of the other request.
        path: The first member, in the order in which they were written, that differs.
    """
    values = member(one, path), member(other, path)
    field = path[0] if path else None
    if is_same_number(*values):
        return Cause.NUMBER_FORM
    if field in TAIL and not (field == "parameters" and len(path) > 1 and path[1] not in SAMPLING_PARAMETERS):
        return Cause.SAMPLING_VALUE
    if any(value is ABSENT for value in values) and any(value is None for value in values):
        return Cause.NULL_FIELD
    return _cause_in_prompt(one, other, path)


def _cause_in_prompt(one: Any, other: Any, path: JsonPath) -> Cause:
    field = path[0] if path else None
    if field in {"tools", "functions"}:
        return _cause_in_tools(one, other, path)
    if field == "messages" and len(path) > 1 and isinstance(path[1], int):
        return _cause_in_messages(one["messages"], other["messages"], path[1], path[2:])
    if field in _TEXTS:
        return _cause_in_text(member(one, path), member(other, path))
    return Cause.VALUE_CHANGE


_TEXTS = frozenset({"system", "inputs", "prompt", "input", "documents"})
"""Fields of text, other than messages and tools."""


def is_same_number(one: Any, other: Any) -> bool:
    """Whether two values are one number for their author: equal, or equal in single precision."""
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other)):
        return False
    if one == other:
        return True
    return (
        isinstance(one, float) and isinstance(other, float) and _in_single_precision(one) == _in_single_precision(other)
    )


def _in_single_precision(number: float) -> float | bytes:
    try:
        return struct.pack("<f", number)
    except OverflowError:  # Beyond what single precision holds.
        return number


def _cause_in_text(one: Any, other: Any) -> Cause:
    if isinstance(one, str) and isinstance(other, str):
        return Cause.APPENDED if one.startswith(other) or other.startswith(one) else cause_of_texts(one, other)
    return Cause.TEXT_CHANGE


def _cause_in_tools(one: Any, other: Any, path: JsonPath) -> Cause:
    tools = member(one, path[:2]), member(other, path[:2])
    values = member(one, path), member(other, path)
    if _name(tools[0]) == _name(tools[1]) and all(isinstance(value, str) for value in values):
        return cause_of_texts(*values)
    return Cause.TOOL_LIST


def _name(tool: Any) -> Any:
    name = member(tool, ("function", "name"))
    return member(tool, ("name",)) if name is ABSENT else name


def _cause_in_messages(one: Any, other: Any, position: int, path: JsonPath) -> Cause:
    """The cause in the message at a position, at a path inside it."""
    messages = member(one, (position,)), member(other, (position,))
    if any(message is ABSENT for message in messages):
        return Cause.APPENDED
    if messages[0] in other[position + 1 :] or messages[1] in one[position + 1 :] or path == ("role",):
        return Cause.MESSAGE_LIST
    if path[:1] == ("content",) and _is_other_form(*(member(message, ("content",)) for message in messages)):
        return Cause.CONTENT_FORM
    values = member(messages[0], path), member(messages[1], path)
    if all(isinstance(value, str) for value in values):
        return cause_of_texts(*values)
    return Cause.TEXT_CHANGE


def _is_other_form(one: Any, other: Any) -> bool:
    """Whether one content is a text and the other one a list, or both are lists of the same parts in another order."""
    lists = [isinstance(content, (list, tuple)) for content in (one, other)]
    if all(lists):
        return sorted(map(write, one)) == sorted(map(write, other))
    return any(lists) and any(isinstance(content, str) for content in (one, other))
