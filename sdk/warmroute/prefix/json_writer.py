"""Compact JSON with one notation for every value, at the speed of orjson where orjson writes that notation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from itertools import chain
from typing import Any

import orjson

from warmroute.prefix.canonical_error import MAX_DEPTH, CanonicalJsonError, has_lone_surrogate, path_to


class NumberText(bytes):
    """A whole number as JSON text, for those beyond what Python converts (``sys.get_int_max_str_digits``)."""

    __slots__ = ()


def write(value: Any) -> bytes:
    """JSON without white space, in raw UTF-8, members in the order given.

    Whole numbers are exact. Floats are written as Python's ``repr`` does: the shortest digits that read back as the
    same number, ``1.0``, ``1e-05``, ``1e+16``. orjson's own notation of small and large ones depends on its version.

    Args:
        value: Mappings with text keys, lists, tuples, text, numbers, booleans and None, and subclasses of these.

    Raises:
        CanonicalJsonError: A value is not JSON, is not finite, is nested too deeply, or is text that UTF-8 lacks.
    """
    written = _write_plain(value)
    return orjson.dumps(_exact(value, "", 0)) if written is None else written


def _write_plain(value: Any) -> bytes | None:
    """What orjson writes, if that is known to be canonical."""
    if not is_plain(value, MAX_DEPTH):
        return None
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # A long whole number, a lone surrogate or a key that is not text.
        return None


SCALARS = frozenset({str, bool, int, type(None)})
"""Types of values that orjson writes canonically or refuses."""


def is_plain(value: Any, depth_left: int) -> bool:
    """Whether orjson writes the value canonically or refuses it: JSON's own types, no number with two notations.

    Level by level and texts first, since the tools of a request have thousands of small members.
    """
    if type(value) is float:
        return has_one_notation(value)
    level: list[Any] = [(value,)]
    while level:
        inner: list[Any] = []
        for member in chain.from_iterable(level):
            kind = type(member)
            if kind is str:
                continue
            if kind is dict:
                inner.append(member.values())
            elif kind is list or kind is tuple:
                inner.append(member)
            elif kind not in SCALARS and not (kind is float and has_one_notation(member)):
                return False
        if inner and depth_left == 0:
            return False
        depth_left -= 1
        level = inner
    return True


def has_one_notation(number: float) -> bool:
    """Whether the digits of Python and of every orjson are the same; NaN is between no bounds."""
    return number == 0 or 1e-4 <= abs(number) < 1e16


def _exact(value: Any, path: str, depth: int) -> Any:
    """The value as orjson must see it; checks everything, and knows where it is."""
    if isinstance(value, str):
        return _text(str.__str__(value), path)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float, NumberText)):
        return _number(value, path)
    if not isinstance(value, (Mapping, list, tuple)):
        raise CanonicalJsonError(
            path, f"a {type(value).__name__} is not JSON.", "Use text, numbers, booleans, None, lists and mappings."
        )
    if depth == MAX_DEPTH:
        raise CanonicalJsonError(path, f"nested deeper than {MAX_DEPTH} levels.", "Flatten the request.")
    if isinstance(value, Mapping):
        return _members(value, path, depth)
    return [_exact(item, path_to(path, index), depth + 1) for index, item in enumerate(value)]


def _number(value: float | NumberText, path: str) -> int | orjson.Fragment:
    if isinstance(value, NumberText):
        return orjson.Fragment(bytes(value))
    if isinstance(value, int):
        # Decimal has no limit on the number of digits, which `str` has.
        return int(value) if -(2**63) <= value < 2**63 else orjson.Fragment(format(Decimal(value), "f"))
    if not math.isfinite(value):
        raise CanonicalJsonError(path, "the number is not finite.", "JSON has no NaN and no Infinity.")
    return orjson.Fragment(float.__repr__(value))


def _members(value: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, member in value.items():
        if not isinstance(key, str):
            raise CanonicalJsonError(path, f"a key is a {type(key).__name__}, not text.", "Make every key a str.")
        at = path_to(path, key)
        members[_text(str.__str__(key), at)] = _exact(member, at, depth + 1)
    if len(members) < len(value):
        raise CanonicalJsonError(path, "two keys are the same text.", "Keep one of them.")
    return members


def _text(text: str, path: str) -> str:
    if has_lone_surrogate(text):
        raise CanonicalJsonError(path, "the text has a lone surrogate, which UTF-8 lacks.", "Remove or replace it.")
    return text
