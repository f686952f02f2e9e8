"""JSON text as Python values, strictly: what two parsers could read differently is an error."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from warmroute.prefix.canonical_error import MAX_DEPTH, CanonicalJsonError, has_lone_surrogate, path_to
from warmroute.prefix.json_writer import NumberText


class DoubtError(Exception):
    """Quick reading met something that only strict reading can judge and locate."""


def looks_spaced(text: str | bytes) -> bool:
    """Whether JSON text has white space after its first colon, as ``json.dumps`` leaves it; the cheapest sign of it."""
    beginning = text[:_BEGINNING]
    return bool(_SPACED.match(beginning if isinstance(beginning, bytes) else beginning.encode(errors="replace")))


_BEGINNING = 64
"""Length in which most texts have a colon."""

_SPACED = re.compile(rb"[^:]*:\s")


def read_quickly(text: str | bytes) -> Any:
    """The value of JSON text, at the speed of ``json``; the caller checks surrogates and depth.

    Raises:
        DoubtError: Read it strictly: it is probably faulty.
    """
    try:
        return _QUICK.decode(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError):
        raise DoubtError from None


def read_strictly(text: str | bytes) -> Any:
    """The value of JSON text.

    Args:
        text: ``str``, or ``bytes`` in UTF-8.

    Raises:
        CanonicalJsonError: With the path and the offset of the first fault.
    """
    if isinstance(text, str):
        return _Reader(text).document()
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        at = error.start
    else:
        return _Reader(decoded, counts_bytes=True).document()
    raise CanonicalJsonError("", "the bytes are not UTF-8.", "Encode JSON in UTF-8.", at)


def _whole_number(digits: str) -> int | NumberText:
    # Twenty characters hold every whole number that orjson reads exactly, so both readings give the same type.
    return int(digits) if len(digits) <= 20 else NumberText(digits.encode())


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError
    return number


def _without_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        raise ValueError
    return value


def _refuse(_: str) -> NoReturn:
    raise ValueError


_QUICK = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_int=_whole_number, parse_float=_finite, parse_constant=_refuse
)

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = ("NaN", "Infinity", "-Infinity")


class _Reader:
    """A recursive-descent parser that knows its path and offset."""

    def __init__(self, text: str, *, counts_bytes: bool = False) -> None:
        self.text = text
        self.at = 0
        self.counts_bytes = counts_bytes

    def document(self) -> Any:
        if self.text.startswith("\ufeff"):
            self.fail("", "begins with a byte order mark.", "Remove it: utf-8-sig reads such files.")
        value = self.value("", MAX_DEPTH)
        self.skip_space()
        if self.at < len(self.text):
            self.fail("", "more text follows the JSON value.", "Send one value.")
        return value

    def value(self, path: str, depth_left: int) -> Any:
        self.skip_space()
        first = self.text[self.at : self.at + 1]
        if first == '"':
            return self.string(path)
        if first in {"{", "["}:
            if depth_left == 0:
                self.fail(path, f"nested deeper than {MAX_DEPTH} levels.", "Flatten the request.")
            self.at += 1
            return self.object(path, depth_left) if first == "{" else self.array(path, depth_left)
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        return self.number(path)

    def object(self, path: str, depth_left: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        if self.next_is("}"):
            return members
        while True:
            self.skip_space()
            start = self.at
            if not self.text.startswith('"', start):
                self.fail(path, "a key in double quotes is missing.", _SYNTAX)
            key = self.string(path)
            if key in members:
                self.fail(path_to(path, key), "the key appears twice.", "Keep one; parsers disagree on which.", start)
            if not self.next_is(":"):
                self.fail(path_to(path, key), "a colon is missing.", _SYNTAX)
            members[key] = self.value(path_to(path, key), depth_left - 1)
            if self.next_is("}"):
                return members
            self.expect_comma(path)

    def array(self, path: str, depth_left: int) -> list[Any]:
        items: list[Any] = []
        if self.next_is("]"):
            return items
        while True:
            items.append(self.value(path_to(path, len(items)), depth_left - 1))
            if self.next_is("]"):
                return items
            self.expect_comma(path)

    def string(self, path: str) -> str:
        end = _STRING.match(self.text, self.at)
        if not end:
            self.fail(path, "the string has no end, a control character or a malformed escape.", _SYNTAX)
        text: str = json.loads(end.group())
        if has_lone_surrogate(text):
            self.fail(path, "the text has a lone surrogate, which UTF-8 lacks.", "Remove or replace it.")
        self.at = end.end()
        return text

    def number(self, path: str) -> int | float | NumberText:
        found = _NUMBER.match(self.text, self.at)
        if not found:
            if self.text.startswith(_NOT_NUMBERS, self.at):
                self.fail(path, "the number is not finite.", "JSON has no NaN and no Infinity.")
            ends = self.at >= len(self.text)
            self.fail(path, "the text ends too early." if ends else "a JSON value is missing.", _SYNTAX)
        whole, fraction, exponent = found.groups()
        if not fraction and not exponent:
            self.at = found.end()
            return _whole_number(whole)
        number = float(found.group())
        if math.isinf(number):
            self.fail(path, "the number is beyond a double's range.", "Send it as text, or a smaller one.")
        self.at = found.end()
        return number

    def skip_space(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # Matches the empty string too.

    def next_is(self, mark: str) -> bool:
        self.skip_space()
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def expect_comma(self, path: str) -> None:
        if not self.next_is(","):
            ends = self.at >= len(self.text)
            self.fail(path, "the text ends too early." if ends else "a comma is missing.", _SYNTAX)

    def fail(self, path: str, problem: str, remedy: str, at: int | None = None) -> NoReturn:
        offset = self.at if at is None else at
        if self.counts_bytes:
            offset = len(self.text[:offset].encode())
        raise CanonicalJsonError(path, problem, remedy, offset)


_SYNTAX = "Send complete JSON, as RFC 8259 defines it."
