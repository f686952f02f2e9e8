"""Names of the blocks of a prompt: as a trace tells them, or made from its tokens."""

from __future__ import annotations

import array
import hashlib
from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.blocks import name_of
from warmroute.traffic.entries.fields import count, listed
from warmroute.traffic.errors import BadEntryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def told_blocks(value: Mapping[str, Any], block_tokens: int) -> tuple[int, ...]:
    """The ``hash_ids`` of an entry.

    Raises:
        BadEntryError: They are no whole numbers, or not as many as ``input_length`` has blocks.
    """
    hashes = listed(value, "hash_ids")
    if not all(type(each) is int for each in hashes):
        raise BadEntryError("hash_ids are not whole numbers")
    length = count(value, "input_length")
    if hashes and length is not None and not fits(length, len(hashes), block_tokens):
        raise BadEntryError(f"hash_ids are not one for each {block_tokens:,} tokens of input_length")
    return tuple(hashes)


def fits(tokens: int, blocks: int, block_tokens: int) -> bool:
    """Whether so many tokens have so many blocks, with or without one that is not full."""
    return blocks in (tokens // block_tokens, -(-tokens // block_tokens))


def blocks_of_tokens(tokens: Sequence[Any], block_tokens: int) -> tuple[int, ...]:
    """Names of the blocks of a prompt, from its token ids: equal if and only if all tokens up to their end are equal.

    Raises:
        BadEntryError: The ids are no numbers of 32 bits.
    """
    try:
        ids = array.array("I", tokens)
    except (TypeError, OverflowError):
        raise BadEntryError("token ids are not whole numbers") from None
    names = []
    chain = b""
    for start in range(0, len(ids), block_tokens):
        chain = hashlib.sha256(chain + ids[start : start + block_tokens].tobytes()).digest()
        names.append(name_of(chain))
    return tuple(names)
