"""The beginning of a JSON text with its escapes resolved, as the texts inside it read, and where each character was."""

from __future__ import annotations

import re

QUOTE = "\x1f"
"""Stands for the quotes around texts and names, so that those inside a text are told from them; counts as a space."""


class UnescapedText:
    r"""JSON text as its reader sees it: ``2026\/07\/20`` is a date, and ``\n`` ends a line.

    Args:
        beginning: JSON in UTF-8, cut anywhere.
    """

    def __init__(self, beginning: bytes) -> None:
        raw = beginning.decode(errors="ignore").replace('"', QUOTE)
        self._raw = raw
        self._shifts: list[tuple[int, int]] = []
        """Where the text goes on behind an escape, and how far that is from the same place of the JSON text."""
        self._next_shift = self._shift = self._counted = self._bytes = 0
        self.text = _ESCAPE.sub(self._resolved, raw) if "\\" in raw else raw

    def byte_offset(self, index: int) -> int:
        """Where a character of the text begins in the JSON text, in bytes; to be asked from the front to the back."""
        while self._next_shift < len(self._shifts) and self._shifts[self._next_shift][0] <= index:
            self._shift = self._shifts[self._next_shift][1]
            self._next_shift += 1
        at = index + self._shift
        self._bytes += len(self._raw[self._counted : at].encode())
        self._counted = at
        return self._bytes

    def _resolved(self, escape: re.Match[str]) -> str:
        sign = escape.group()
        character = _SIGNS.get(sign) or _of_code(sign)
        shift = self._shifts[-1][1] if self._shifts else 0
        behind = escape.end() - shift - len(sign) + len(character)
        self._shifts.append((behind, escape.end() - behind))
        return character


def _of_code(sign: str) -> str:
    r"""The character of ``\uXXXX``, or of two that are a surrogate pair."""
    units = bytes.fromhex(sign.replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")


_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\x1f\\/bfnrt]")
_SIGNS = {"\\" + QUOTE: '"', r"\\": "\\", r"\/": "/", r"\b": "\b", r"\f": "\f", r"\n": "\n", r"\r": "\r", r"\t": "\t"}
