"""What is wrong with a request that has no canonical form, and where; never with its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.rules import join_path

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 64
"""Objects and arrays inside each other, the outermost included. Ours: orjson stops at 254, chat requests need 10."""


class CanonicalJsonError(WarmrouteError, ValueError):
    """A request that is not JSON, or whose JSON another parser could read differently.

    The message holds no text of the request, so it can be logged.

    Args:
        path: Where in the request, ``messages[2].content``; empty for the whole request.
        problem: What is wrong, as a sentence.
        remedy: What to do, as a sentence.
        offset: Where in JSON text: bytes of ``bytes``, characters of ``str``; None for a Python value.
    """

    def __init__(self, path: str, problem: str, remedy: str = "", offset: int | None = None) -> None:
        place = path or "request"
        super().__init__(f"{place}: {problem}" if offset is None else f"{place}, offset {offset}: {problem}", remedy)
        self.path = path
        self.problem = problem
        self.offset = offset

    def __reduce__(self) -> tuple[type[CanonicalJsonError], tuple[str, str, str, int | None]]:
        """Rebuilt from its parts, so that it survives a process boundary."""
        return type(self), (self.path, self.problem, self.remedy, self.offset)


def path_to(path: str, key: object) -> str:
    """The path of a member; a key that does not look like a field name stays out, since it may be prompt text."""
    if isinstance(key, str) and not _FIELD_NAME.fullmatch(key):
        return join_path(path, "[…]")
    return join_path(path, key)


def text_of(path: Iterable[str | int]) -> str:
    """A path from its parts, keys that may be prompt text left out."""
    text = ""
    for part in path:
        text = path_to(text, part)
    return text


def has_lone_surrogate(text: str) -> bool:
    """Whether the text holds half of a surrogate pair, which no UTF-8 represents."""
    return not text.isascii() and _SURROGATE.search(text) is not None


_FIELD_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,39}")
_SURROGATE = re.compile("[\ud800-\udfff]")
