"""The tools of a request as canonical JSON, quick for those that a program sends again and again.

A request carries all tools of its agent, which are a large part of it and the same in most calls. To look at each of
their small members takes several times as long as to write them; to see that they are those of an earlier call, less.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from warmroute.prefix.canonical_error import MAX_DEPTH
from warmroute.prefix.field_order import FieldOrder, member_in_order
from warmroute.prefix.json_writer import is_plain


def written_tools(name: str, tools: Any, order: FieldOrder) -> orjson.Fragment | None:
    """The canonical JSON of tools; None where only a closer look can tell it.

    Args:
        name: The field of the request: ``tools`` or ``functions``.
        tools: Its value; left as it is.
        order: The field order.
    """
    try:
        text = orjson.dumps(tools, option=_ONLY_PLAIN)
    except orjson.JSONEncodeError:
        return None
    key = name, len(text)
    known = _KNOWN.get(key)
    is_again = known is not None and known.text == text
    # Equal text does not tell NaN from None, nor equal values 1 from 1.0; both together tell everything apart.
    if known is not None and is_again and known.tools is not None and known.tools == tools:
        return known.canonical
    ordered = member_in_order(name, tools, order)
    if not is_plain(ordered, MAX_DEPTH - 1):
        return None
    canonical = orjson.Fragment(text if ordered is tools else orjson.dumps(ordered))
    if len(text) <= _USUAL_SIZE:
        if len(_KNOWN) >= _MAX_KNOWN and key not in _KNOWN:
            _KNOWN.clear()
        # Copied the second time only: tools that are other ones in every call are not worth it.
        _KNOWN[key] = _Known(text, canonical, _copied(tools) if is_again else None)
    return canonical


class _Known(NamedTuple):
    """Tools that were found plain."""

    text: bytes
    """As given, in the order given."""

    canonical: orjson.Fragment
    tools: Any
    """A copy that the caller cannot change; None if they were seen only once."""


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copied(member) for name, member in value.items()}
    if type(value) is list or type(value) is tuple:
        return type(value)(map(_copied, value))
    return value


_ONLY_PLAIN = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME

_KNOWN: dict[tuple[str, int], _Known] = {}
"""By field and length of the text."""

_MAX_KNOWN = 8
"""Lists of tools that are kept: an application has few agents."""

_USUAL_SIZE = 262_144
"""Bytes of tools above which they are not kept; with copies, all take a few megabytes."""
