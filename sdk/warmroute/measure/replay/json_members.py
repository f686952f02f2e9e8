"""Changes members of a JSON object and leaves every other byte as it was written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

_SPACE = " \t\r\n"


class _Member(NamedTuple):
    name: str
    start: int
    """Where its key begins."""
    value_start: int
    end: int


def edited(text: str, *, without: Container[str], replaced: Mapping[str, str], first: str, last: str) -> str:
    """The object with some members taken out, replaced and added.

    Args:
        text: A JSON object that parsers take.
        without: Names of members to take out.
        replaced: New values, as JSON, of members that are there.
        first: Members to put in front of all, as ``"name":value``; empty for none.
        last: Members to put behind all.

    Raises:
        RecursionError: It is nested deeper than Python reads.
    """
    pieces = [first] if first else []
    members = _members(text)
    for member in members:
        if member.name in replaced:
            pieces.append(text[member.start : member.value_start] + replaced[member.name])
        elif member.name not in without:
            pieces.append(text[member.start : member.end])
    if last:
        pieces.append(last)
    return "{" + _separator(text, members).join(pieces) + "}"


def _members(text: str) -> list[_Member]:
    decoder = json.JSONDecoder()
    found = []
    at = _behind(text, text.index("{") + 1, _SPACE)
    while text[at] != "}":
        name, behind_name = decoder.raw_decode(text, at)
        value_start = _behind(text, behind_name, _SPACE + ":")
        _, end = decoder.raw_decode(text, value_start)
        found.append(_Member(name, at, value_start, end))
        at = _behind(text, end, _SPACE + ",")
    return found


def _separator(text: str, members: list[_Member]) -> str:
    """What stands between the first two members, as the writer's habit."""
    return text[members[0].end : members[1].start] if len(members) > 1 else ","


def _behind(text: str, at: int, passed: str) -> int:
    while text[at] in passed:
        at += 1
    return at
