"""The blocks of a prompt: names that two prompts share exactly as far as both are equal."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CHARACTERS_PER_TOKEN = 4
"""Characters (code points) that stand for a token where none were counted; usual for English."""

NAME_BITS = 53
"""Bits of a block's name as a number: the most that every JSON parser reads exactly, floats included."""


def tokens_of(characters: int) -> int:
    """Tokens that so many characters stand for where none were counted; at least 1."""
    return max(1, -(-characters // CHARACTERS_PER_TOKEN))


def chained_hashes(text: str, block_characters: int, *, salt: str = "", with_rest: bool = False) -> list[bytes]:
    """Hashes of a text's blocks, each for the whole text up to the block's end: 8 bytes of a SHA-256.

    Args:
        text: The prompt.
        block_characters: Characters (code points) to a block.
        salt: Texts of different salts share no block. It enters the first block, and through it all that follow.
        with_rest: Whether a last block that is not full has a hash, too.
    """
    # One running hash chains the blocks by itself: what it has seen is the whole text so far. The salt is hashed
    # first, so that no salt and text can be mistaken for another salt and text.
    chain = hashlib.sha256(hashlib.sha256(salt.encode("utf-8", "surrogatepass")).digest())
    hashes = []
    for start in range(0, len(text) if with_rest else len(text) - block_characters + 1, block_characters):
        chain.update(text[start : start + block_characters].encode("utf-8", "surrogatepass"))
        hashes.append(chain.digest()[:8])
    return hashes


def name_of(hashed: bytes) -> int:
    """A block's name as a number, from a hash of at least 8 bytes."""
    return int.from_bytes(hashed[:8], "big") >> (64 - NAME_BITS)


def names_of(numbers: Iterable[int]) -> list[int]:
    """Block names of a trace as numbers that JSON keeps: as they are where it does, else hashed."""
    return [number if 0 <= number < 1 << NAME_BITS else name_of(_hashed(b"%x" % number)) for number in numbers]


def resized(names: Sequence[int], block_tokens: int, wanted_tokens: int, tokens: int) -> list[int] | None:
    """The names of a prompt's blocks of another size; None where one size is no multiple of the other.

    Args:
        names: One for each block, the last one perhaps not full.
        block_tokens: Tokens to a block.
        wanted_tokens: Tokens to a block of the result.
        tokens: Tokens of the prompt, as many as the blocks hold.
    """
    if wanted_tokens % block_tokens == 0:
        step = wanted_tokens // block_tokens
        whole = list(names[step - 1 :: step])
        return [*whole, names[-1]] if len(names) % step else whole
    if block_tokens % wanted_tokens == 0:
        parts = block_tokens // wanted_tokens
        count = -(-tokens // wanted_tokens)
        return [name_of(_hashed(b"%x/%d" % (names[part // parts], part % parts))) for part in range(count)]
    return None


def _hashed(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
