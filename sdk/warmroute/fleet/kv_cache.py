"""vLLM's prefix cache, as far as it decides what is cached: which blocks are held, found again and evicted.

Blocks are known by their hashes alone. A block that several sequences share, or compute at the same moment, counts
once; vLLM keeps a second copy in the latter case.

Sources: vLLM's design notes on automatic prefix caching, and its ``KVCacheManager``.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK_SIZE = 16
"""Tokens in a block. Source: vLLM's default ``block_size`` on GPUs."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, as a prefix cache sees it."""

    tokens: int

    block_hashes: tuple[bytes, ...] = ()
    """Hashes of its full blocks, each standing for the whole text up to its end.

    A caller that knows the answer may append the hashes of the blocks that the answer fills: they enter the cache
    as the answer grows, for the next turn of the conversation to find.
    """


def prompt_blocks(text: str, *, chars_per_token: int = 4, block_size: int = BLOCK_SIZE, salt: str = "") -> Prompt:
    """A prompt from its text, without the model's tokenizer: every so many characters count as one token.

    The stand-in keeps what prefix caching depends on. Two texts share exactly the blocks of their common beginning,
    and lengths are right on average; a block's edge is not where the tokenizer would put it.

    Args:
        text: The prompt, templates applied.
        chars_per_token: Characters (code points) to a token; 4 is usual for English.
        block_size: Tokens to a block.
        salt: vLLM's ``cache_salt``: prompts of different salts share nothing. It enters the first block only, and
            through it all that follow.
    """
    chars_per_block = chars_per_token * block_size
    # One running hash chains the blocks by itself: what it has seen is the whole text so far. The salt is hashed
    # first, so that no salt and text can be mistaken for another salt and text.
    chain = hashlib.sha256(hashlib.sha256(salt.encode("utf-8", "surrogatepass")).digest())
    hashes = []
    for start in range(0, len(text) - chars_per_block + 1, chars_per_block):
        chain.update(text[start : start + chars_per_block].encode("utf-8", "surrogatepass"))
        hashes.append(chain.digest()[:8])
    return Prompt(max(1, -(-len(text) // chars_per_token)), tuple(hashes))


@dataclass(slots=True)
class BlockTable:
    """The blocks that one sequence holds; kept by `KvCache`."""

    hashes: Sequence[bytes]
    """Of the sequence's full blocks, as far as they are known."""

    shared: int = 0
    """Leading blocks held that are full and known by their hash, so that others can find them."""

    private: int = 0
    """Blocks held beyond those: the unfinished one, and output that nobody can ask for."""


@dataclass(slots=True, eq=False)
class KvCache:
    """The blocks of one engine: held while sequences run, kept afterwards until the room is needed.

    Blocks that no sequence holds are evicted by their last use, oldest first; of those released together, the tail
    of the sequence goes first, since nothing behind a missing block can be found.
    """

    capacity_blocks: int
    block_size: int = BLOCK_SIZE

    _holders: dict[bytes, int] = field(default_factory=dict, init=False, repr=False)
    """Sequences that hold a block, by its hash."""

    _idle: OrderedDict[bytes, None] = field(default_factory=OrderedDict, init=False, repr=False)
    """Blocks that are cached and not held, the next to be evicted first."""

    _private: int = field(default=0, init=False, repr=False)
    """Blocks held that have no hash."""

    def __post_init__(self) -> None:
        if self.capacity_blocks < 1 or self.block_size < 1:
            raise WarmrouteError(
                f"A KV cache of {self.capacity_blocks:,} blocks of {self.block_size:,} tokens holds nothing.",
                "Give capacity_blocks and block_size of at least 1.",
            )

    @property
    def held_blocks(self) -> int:
        """Blocks that running sequences hold."""
        return len(self._holders) + self._private

    @property
    def free_blocks(self) -> int:
        """Blocks that a sequence can get, cached ones included."""
        return self.capacity_blocks - self.held_blocks

    @property
    def cached_blocks(self) -> int:
        """Blocks that a prompt can find, held or not."""
        return len(self._holders) + len(self._idle)

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens that a prompt need not compute, as whole blocks.

        At least one token is always computed, for its logits give the first token of the answer. Asking changes
        nothing.
        """
        found = 0
        for block in prompt.block_hashes[: (prompt.tokens - 1) // self.block_size]:
            if block not in self._holders and block not in self._idle:
                break
            found += 1
        return found * self.block_size

    def fits(self, table: BlockTable, tokens: int) -> bool:
        """Whether a sequence could grow to this many tokens now."""
        return self._missing_blocks(table, tokens) <= self.free_blocks

    def hold(self, table: BlockTable, tokens: int) -> bool:
        """Give a sequence the blocks for its first tokens, those already cached and new ones.

        Full blocks can be found by others at once, as vLLM has it, although they are computed in the step to come.

        Args:
            table: The sequence's blocks so far; updated.
            tokens: All tokens to hold, not the new ones alone.

        Returns:
            False, and nothing has changed, when too few blocks are free.
        """
        shared, private = self._split(table, tokens)
        if shared == table.shared and private == table.private:
            return True
        if not self.fits(table, tokens):
            return False
        for block in table.hashes[table.shared : shared]:
            self._holders[block] = self._holders.get(block, 0) + 1
            self._idle.pop(block, None)
        self._private += private - table.private
        table.shared, table.private = shared, private
        self._evict()
        return True

    def release(self, table: BlockTable) -> None:
        """Take all blocks from a sequence; the full ones stay cached until their room is needed."""
        for block in reversed(table.hashes[: table.shared]):
            holders = self._holders.pop(block)
            if holders > 1:
                self._holders[block] = holders - 1
            else:
                self._idle[block] = None
        self._private -= table.private
        table.shared = table.private = 0

    def replay(self, prompt: Prompt) -> int:
        """Serve a prompt in no time: what it finds, leaving its blocks behind as the most recently used.

        For traces without timing. A prompt larger than the cache, which an engine would refuse, streams through
        and leaves its end.

        Returns:
            Tokens found in the cache.
        """
        found = self.cached_tokens(prompt)
        streams = len(prompt.block_hashes) > self.free_blocks
        for block in prompt.block_hashes if streams else reversed(prompt.block_hashes):
            if block not in self._holders:
                self._idle[block] = None
                self._idle.move_to_end(block)
        self._evict()
        return found

    def _split(self, table: BlockTable, tokens: int) -> tuple[int, int]:
        """Blocks that hold this many tokens: those known by a hash, and the rest."""
        shared = min(tokens // self.block_size, len(table.hashes))
        return shared, -(-tokens // self.block_size) - shared

    def _missing_blocks(self, table: BlockTable, tokens: int) -> int:
        """Free blocks that a sequence would take to grow to this many tokens."""
        shared, private = self._split(table, tokens)
        unheld = sum(block not in self._holders for block in table.hashes[table.shared : shared])
        return unheld + private - table.private

    def _evict(self) -> None:
        for _ in range(len(self._idle) - self.free_blocks):
            self._idle.popitem(last=False)
