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
        while True:
            token = _TOKEN.match(self._text, self._at, offset)
            if token is None:
                return self._place(Within.NONE, offset)
            start = token.start(1)
            mark = self._text[start : start + 1]
            if mark == b'"':
                if start != self._string[0]:  # A string may be asked about often, and may be long.
                    self._string = start, self._end_of_string(start)
                    self._at = start
                end = self._string[1]
                is_key = bool(self._containers) and self._containers[-1].awaits_key
                if end > offset:
                    return self._place(Within.KEY if is_key else Within.TEXT, start)
                if is_key:
                    self._containers[-1].key = orjson.loads(self._text[start:end])
                    self._containers[-1].awaits_key = False
                self._at = end
                continue
            if mark not in _MARKS and token.end() == offset:
                return self._place(Within.SCALAR, start)
            self._step(mark)
            self._at = token.end()

    def _step(self, mark: bytes) -> None:
        if mark == b"{":
            self._containers.append(_Container(None))
        elif mark == b"[":
            self._containers.append(_Container(0))
        elif mark in {b"}", b"]"}:
            self._containers.pop()
        elif mark == b",":
            self._containers[-1].next_member()

    def _end_of_string(self, start: int) -> int:
        """Behind the closing quote: the first one after an even number of backslashes."""
        at, quote = start + 1, start
        while True:
            if quote < at:
                quote = self._text.index(b'"', at)
            if self._text[quote - 1] != _BACKSLASH:
                return quote + 1
            # Many texts quote something, so escapes are blanked many at a time.
            block = self._text[at : at + _BLOCK]
            if (len(block) - len(block.rstrip(b"\\"))) % 2:
                block = block[:-1]
            end = block.replace(b"\\\\", b"..").replace(b'\\"', b"..").find(b'"')
            if end >= 0:
                return at + end + 1
            at += len(block)

    def _place(self, within: Within, token: int) -> Place:
        container = tuple(outer.key for outer in self._containers[:-1] if outer.key is not None)
        last = self._containers[-1] if self._containers else None
        path = container if last is None or last.key is None or last.awaits_key else (*container, last.key)
        return Place(path, container, within, token)


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
_MARKS = frozenset({b"{", b"}", b"[", b"]", b",", b":"})
_TOKEN = re.compile(rb'[ \t\n\r]*([{}\[\],:"]|[^ \t\n\r{}\[\],:"]+)')
