"""Prompts for requests whose trace keeps no text: of the right length, and alike where the trace says so.

Words of three letters behind a space: one token each in the usual vocabularies, and four characters, which is what
simulated engines count as a token.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.traffic import TrafficRequest

_WORDS = tuple(
    f" {word}"
    for word in (
        *(
            "the",
            "and",
            "for",
            "are",
            "but",
            "not",
            "you",
            "all",
            "any",
            "can",
            "had",
            "her",
            "was",
            "one",
            "our",
            "out",
        ),
        *(
            "day",
            "get",
            "has",
            "him",
            "his",
            "how",
            "man",
            "new",
            "now",
            "old",
            "see",
            "two",
            "way",
            "who",
            "did",
            "use",
        ),
    )
)


def synthetic_text(request: TrafficRequest) -> str:
    """A text for a request: the same at every call, on every machine.

    Blocks of the same hash have the same words, so that prompts share what the trace says they share. What no hash
    covers has words of its own.

    Args:
        request: With ``block_hashes``, ``input_tokens`` or both.
    """
    blocks = [_words(f"block {name}", request.block_tokens) for name in request.block_hashes]
    covered = len(blocks) * request.block_tokens
    tokens = covered if request.input_tokens is None else request.input_tokens
    if tokens > covered:
        blocks.append(_words(f"request {request.source}:{request.line}", tokens - covered))
    return "".join(blocks)[: tokens * len(_WORDS[0])]


def _words(seed: str, count: int) -> str:
    chosen = hashlib.shake_256(seed.encode("utf-8", "surrogatepass")).digest(count)
    return "".join(map(_BY_BYTE.__getitem__, chosen))


_BY_BYTE = tuple(_WORDS[byte % len(_WORDS)] for byte in range(256))
