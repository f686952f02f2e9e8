"""The hashes of a digest, in Python: the law that every engine keeps.

A hash is the first 8 bytes of a SHA-256 as a signed number, the most significant byte first; of a text, its UTF-8 is
hashed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def digest(whole: str | bytes) -> bytes:
    """The SHA-256 of a whole text, or of bytes."""
    return hashlib.sha256(whole.encode() if isinstance(whole, str) else whole).digest()


def window_digests(whole: str | bytes, ladder: Sequence[int]) -> Iterator[bytes]:
    """The SHA-256 of a whole's first characters, or bytes, at each length of a ladder; each part is hashed once."""
    state = hashlib.sha256()
    found, begin = state.digest(), 0
    for length in ladder:
        if begin < len(whole):
            part = whole[begin:length]
            state.update(part.encode() if isinstance(part, str) else part)
            found, begin = state.digest(), length
        yield found


def chunk_digests(text: str, characters: int) -> Iterator[bytes]:
    """The SHA-256 of each full chunk of a text."""
    for begin in range(0, len(text) - characters + 1, characters):
        yield digest(text[begin : begin + characters])
