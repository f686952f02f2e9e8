"""Where two JSON texts part, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import orjson

from warmroute.prefix.cause import Cause
from warmroute.prefix.common_part import common_beginning
from warmroute.prefix.field_order import has_field_order
from warmroute.prefix.json_place import JsonPath, Place, Walker, Within
from warmroute.prefix.json_reader import DoubtError, read_quickly
from warmroute.prefix.json_writer import write
from warmroute.prefix.value_cause import ABSENT, cause_of_values, is_same_number, member


class Document(NamedTuple):
    """A JSON text and its value, members in the order of the text."""

    text: bytes
    value: Any
    is_compact: bool
    """Whether the text is exactly what ``json_writer`` makes of the value, so that equal values are equal texts."""

    is_canonical: bool = False


class Split(NamedTuple):
    """Where two JSON texts part, and why."""

    offset: int
    """In bytes."""

    path: JsonPath
    cause: Cause


def split(one: Document, other: Document, place: Place | None = None) -> Split | None:
    """Where and why two requests part; None if they are the same text.

    Args:
        one: A request.
        other: The other request.
        place: The text of ``one`` in which they part, if that is known.
    """
    offset = common_beginning(one.text, other.text)
    if offset == len(one.text) == len(other.text):
        return None
    path, cause = _first_difference(one, other, offset, place)
    if cause is None and path[-2:] in _ARGUMENTS:
        cause = _cause_in_arguments(member(one.value, path), member(other.value, path))
    return Split(offset, path, cause or cause_of_values(one.value, other.value, path))


_ARGUMENTS = (("function", "arguments"), ("function_call", "arguments"))


def _cause_in_arguments(one: Any, other: Any) -> Cause | None:
    """The cause, where tool arguments in JSON text differ in form only as far as the first difference goes."""
    try:
        first, second = (Document(text.encode(), read_quickly(text), is_compact=False) for text in (one, other))
    except (AttributeError, DoubtError, UnicodeEncodeError):  # Not text, not JSON.
        return None
    try:
        path, cause = _first_difference(first, second, common_beginning(first.text, second.text))
    except orjson.JSONDecodeError:  # Keys that are not text, such as lone surrogates; the arguments are a text to us.
        return None
    if cause:
        return Cause.KEY_ORDER if cause is Cause.FIELD_ORDER else cause
    return Cause.NUMBER_FORM if is_same_number(member(first.value, path), member(second.value, path)) else None


def _first_difference(
    one: Document, other: Document, offset: int, place: Place | None = None
) -> tuple[JsonPath, Cause | None]:
    """The path of the first member that differs, with the cause if that is form or order, not value."""
    if one.is_compact and other.is_compact:
        if place:
            return place.path, None
        path, members = _difference_of_values(one.value, other.value) or ((), None)
        return (path, None) if members is None else _next_members(*members, path)
    place = place or Walker(one.text).to(offset)
    if cause := _cause_of_form(one, other, place, offset):
        return place.path, cause
    return _difference_at(one.value, other.value, place)


def _difference_of_values(one: Any, other: Any) -> tuple[JsonPath, tuple[Any, Any] | None] | None:
    """The path of the first difference, with the two objects if their names differ; None if there is no difference."""
    if type(one) is not str:  # The test of an abstract class costs as much as all else here.
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return _difference_of_members(one, other)
        if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            for position, (item, other_item) in enumerate(zip(one, other, strict=False)):
                if item is not other_item and (found := _difference_of_values(item, other_item)):
                    return (position, *found[0]), found[1]
            return None if len(one) == len(other) else ((min(len(one), len(other)),), None)
    return None if _same(one, other) else ((), None)


def _difference_of_members(
    one: Mapping[str, Any], other: Mapping[str, Any]
) -> tuple[JsonPath, tuple[Any, Any] | None] | None:
    for (name, part), (other_name, other_part) in zip(one.items(), other.items(), strict=False):
        if name != other_name:
            return (), (one, other)
        if part is not other_part and (found := _difference_of_values(part, other_part)):
            return (name, *found[0]), found[1]
    return None if len(one) == len(other) else ((), (one, other))


def _cause_of_form(one: Document, other: Document, place: Place, offset: int) -> Cause | None:
    """The cause, where the texts differ and what they say does not, as far as the first difference goes."""
    marks = {one.text[offset : offset + 1], other.text[offset : offset + 1]}
    if place.within in {Within.TEXT, Within.KEY}:
        return Cause.ESCAPE_FORM if _is_same_character(one.text, other.text, place.token, offset) else None
    if marks <= _AFTER_SCALAR or (place.within is Within.NONE and not marks <= _START_OF_NUMBER):
        return None if marks.isdisjoint(_SPACES) else Cause.WHITE_SPACE
    same = _same(member(one.value, place.path), member(other.value, place.path))
    return Cause.NUMBER_FORM if same else None


_SPACES = frozenset({b" ", b"\t", b"\n", b"\r"})
_START_OF_NUMBER = frozenset(b"%c" % character for character in b"-0123456789")
_AFTER_SCALAR = _SPACES | {b",", b"}", b"]", b""}
"""What may follow a number; the empty text is the end of the document."""


def _difference_at(one: Any, other: Any, place: Place) -> tuple[JsonPath, Cause | None]:
    """The path of the first member that differs, at or behind a place, with the cause if that is their order."""
    if place.path != place.container and not _same(member(one, place.path), member(other, place.path)):
        return place.path, None
    # All members up to here are the same, so the next ones are not.
    parts = member(one, place.container), member(other, place.container)
    if all(isinstance(part, Mapping) for part in parts):
        return _next_members(*parts, place.container)
    position = place.path[-1] if place.path != place.container else None
    if isinstance(position, int):
        return (*place.container, position + 1), None
    return place.container, None


def _next_members(one: Mapping[str, Any], other: Mapping[str, Any], path: JsonPath) -> tuple[JsonPath, Cause | None]:
    names = next((pair for pair in zip_longest(one, other) if pair[0] != pair[1]), ())
    extra = [name for name in names if name is not None and (name not in one or name not in other)]
    if extra:
        return (*path, min(extra)), None
    return path, Cause.FIELD_ORDER if has_field_order(path) else Cause.KEY_ORDER


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, with the order of their members; 1 and 1.0 are not."""
    if type(one) is str and type(other) is str:
        return one == other
    return one is other or (one is not ABSENT and other is not ABSENT and write(one) == write(other))


def _is_same_character(one: bytes, other: bytes, token: int, offset: int) -> bool:
    """Whether two string tokens go on with the same character where their bytes part: an escape and another form."""
    start = _start_of_escape(one, token, offset)
    characters = [_CHARACTER.match(text, start) for text in (one, other)]
    units = [character.group() if character else b"" for character in characters]
    if not any(unit.startswith(b"\\") for unit in units):
        return False
    return bool(json.loads(b'"%b"' % units[0]) == json.loads(b'"%b"' % units[1]))


def _start_of_escape(text: bytes, token: int, offset: int) -> int:
    """Where the escape begins whose bytes reach over the offset; else the offset."""
    for start in range(offset - 1, max(token, offset - _LONGEST_ESCAPE), -1):
        if text[start] == _BACKSLASH:
            run = len(text[token + 1 : start + 1]) - len(text[token + 1 : start + 1].rstrip(b"\\"))
            length = _LONGEST_ESCAPE if text[start + 1 : start + 2] == b"u" else 2
            if run % 2 == 1 and start + length > offset:
                return start
    return offset


_BACKSLASH = ord("\\")
_LONGEST_ESCAPE = 6
_CHARACTER = re.compile(
    rb'\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[\xc2-\xf4][\x80-\xbf]+|[^"\\]'
)
