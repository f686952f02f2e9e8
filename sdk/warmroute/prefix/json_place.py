"""Which member of a JSON text an offset belongs to, without parsing its texts."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

import orjson

JsonPath = tuple[str | int, ...]


class Within(Enum):
    """What kind of token an offset lies in."""

    KEY = "key"
    TEXT = "text"
    SCALAR = "scalar"
    """A number, true, false or null, or right behind one: more digits may follow."""

    NONE = "none"
    """Between tokens."""


class Place(NamedTuple):
    """Where an offset lies."""

    path: JsonPath
    """The member whose value it is in, or next to; where a key is due or unfinished, the object."""

    container: JsonPath
    """The innermost object or list around it."""

    within: Within
    token: int
    """Where the token begins; between tokens, the offset itself."""


class Walker:
    """Walks through JSON text from place to place, forwards.

    Args:
        text: Valid JSON in UTF-8.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._at = 0
        self._containers: list[_Container] = []
        self._string = _NO_STRING

    def to(self, offset: int) -> Place:
        """The place of an offset in bytes, not before the last one asked for."""
        text, containers, match_token = self._text, self._containers, _TOKEN.match
        while True:
            token = match_token(text, self._at, offset)
            if token is None:
                return self._place(Within.NONE, offset)
            mark, at = token.lastgroup, token.end()
            if mark == "string":
                start = at - 1
                at = self._string_end(start)
                is_key = bool(containers) and containers[-1].awaits_key
                if at > offset:
                    return self._place(Within.KEY if is_key else Within.TEXT, start)
                if is_key:
                    containers[-1].key = orjson.loads(text[start:at])
                    containers[-1].awaits_key = False
            elif mark == "comma":
                containers[-1].next_member()
            elif mark == "opening":
                containers.append(_Container(None if text[at - 1] == _BRACE else 0))
            elif mark == "closing":
                containers.pop()
            elif at == offset:  # A scalar, of which more may follow.
                return self._place(Within.SCALAR, token.start("scalar"))
            self._at = at

    def _string_end(self, start: int) -> int:
        """Behind a string; searched once, since it may be long, and many offsets may lie in it."""
        if start != self._string[0]:
            self._string = start, end_of_string(self._text, start)
            self._at = start
        return self._string[1]

    def _place(self, within: Within, token: int) -> Place:
        container = tuple(outer.key for outer in self._containers[:-1] if outer.key is not None)
        last = self._containers[-1] if self._containers else None
        path = container if last is None or last.key is None or last.awaits_key else (*container, last.key)
        return Place(path, container, within, token)


def end_of_string(text: bytes, start: int) -> int:
    """Behind the closing quote of the string that begins at an offset: the first after an even number of backslashes.

    Raises:
        ValueError: The string has no end.
    """
    at, quote = start + 1, start
    while True:
        if quote < at:
            quote = text.index(b'"', at)
        if text[quote - 1] != _BACKSLASH:
            return quote + 1
        # Many texts quote something, so escapes are blanked many at a time.
        block = text[at : at + _BLOCK]
        if (len(block) - len(block.rstrip(b"\\"))) % 2:
            block = block[:-1]
        end = block.replace(b"\\\\", b"..").replace(b'\\"', b"..").find(b'"')
        if end >= 0:
            return at + end + 1
        at += len(block)


class _Container:
    __slots__ = ("awaits_key", "key")

    def __init__(self, key: str | int | None) -> None:
        self.key = key
        self.awaits_key = key is None

    def next_member(self) -> None:
        if isinstance(self.key, int):
            self.key += 1
        else:
            self.awaits_key = True


_NO_STRING = (-1, -1)
_BACKSLASH = ord("\\")
_BLOCK = 4_096
_BRACE = ord("{")
_TOKEN = re.compile(
    rb'[ \t\n\r:]*(?:(?P<string>")|(?P<comma>,)|(?P<opening>[{\[])|(?P<closing>[}\]])|(?P<scalar>[^ \t\n\r{}\[\],:"]+))'
)
"""A token, or its first sign, with the space and the colon before it."""
