"""vLLM's prefix cache, as far as it decides what is cached: which blocks are held, found again and evicted.

Blocks are known by the segments of their prompts alone. A block that several sequences share, or compute at the same
moment, counts once; vLLM keeps a second copy in the latter case.

Whatever was held and released together is kept as one piece, so that the work does not grow with the number of
blocks. Nothing is lost by that: whoever uses a block uses all that come before it, so a piece is never older than the
one behind it, and the next block to be evicted is always the last one of the oldest piece. Each piece knows the one
before it, over the borders of segments, so that a sequence is known by the last piece that it holds.

Sources: vLLM's design notes on automatic prefix caching, and its ``KVCacheManager``.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet.prompt import BLOCK_SIZE

if TYPE_CHECKING:
    from collections.abc import Hashable

    from warmroute.fleet.prompt import Prompt


class BlockTable:
    """The blocks that one sequence holds; kept by `KvCache`.

    Args:
        prompt: Names the sequence's full blocks, as far as they are known.
    """

    __slots__ = ("piece", "private", "prompt", "segment", "shared")

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.shared = 0
        """Leading blocks held that are full and have a name, so that others can find them."""
        self.segment = 0
        """Segment of the prompt that the next such block belongs to."""
        self.piece: _Piece | None = None
        """The last piece of those blocks."""
        self.private = 0
        """Blocks held beyond those: the unfinished one, and output that nobody can ask for."""


class KvCache:
    """The blocks of one engine: held while sequences run, kept afterwards until the room is needed.

    Blocks that no sequence holds are evicted by their last use, oldest first; of those released together, the tail
    of the sequence goes first, since nothing behind a missing block can be found.

    Args:
        capacity_blocks: How many there are.
        block_size: Tokens to a block.

    Raises:
        WarmrouteError: There would be none.
    """

    def __init__(self, capacity_blocks: int, block_size: int = BLOCK_SIZE) -> None:
        if capacity_blocks < 1 or block_size < 1:
            raise WarmrouteError(
                f"A KV cache of {capacity_blocks:,} blocks of {block_size:,} tokens holds nothing.",
                "Give capacity_blocks and block_size of at least 1.",
            )
        self.capacity_blocks = capacity_blocks
        self.block_size = block_size
        self.free_blocks = capacity_blocks
        """Blocks that a sequence can get, cached ones included."""
        self._unused_blocks = capacity_blocks
        """Those of them that hold nothing; below 0 until enough is evicted."""
        self._pieces: dict[Hashable, _Piece] = {}
        """The first piece of each segment."""
        self._idle: OrderedDict[_Piece, None] = OrderedDict()
        """Pieces that no sequence holds, the next to be evicted first."""

    @property
    def held_blocks(self) -> int:
        """Blocks that running sequences hold."""
        return self.capacity_blocks - self.free_blocks

    @property
    def cached_blocks(self) -> int:
        """Blocks that a prompt can find, held or not."""
        blocks = 0
        for first in self._pieces.values():
            piece: _Piece | None = first
            while piece is not None:
                blocks += piece.blocks
                piece = piece.next
        return blocks

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens that a prompt need not compute, as whole blocks.

        At least one token is always computed, for its logits give the first token of the answer. Asking changes
        nothing.
        """
        pieces = self._pieces
        found = 0
        for segment, end in zip(prompt.segments, prompt.ends, strict=True):
            piece = pieces.get(segment)
            while piece is not None:
                found += piece.blocks
                piece = piece.next
            if found < end:
                break
        most = (prompt.tokens - 1) // self.block_size
        return (min(most, found)) * self.block_size

    def fits(self, table: BlockTable, tokens: int) -> bool:
        """Whether a sequence could grow to this many tokens now."""
        wanted = -(-tokens // self.block_size) - table.shared - table.private
        free = self.free_blocks
        return wanted <= free or wanted - self._held_by_others(table, tokens // self.block_size) <= free

    def continues(self, table: BlockTable) -> bool:
        """Whether the next block that a sequence fills is one that the cache already has."""
        return self._following(table) is not None

    def hold(self, table: BlockTable, tokens: int) -> bool:
        """Give a sequence the blocks for its first tokens, those already cached and new ones.

        Full blocks can be found by others at once, as vLLM has it, although they are computed in the step to come.

        Args:
            table: The sequence's blocks so far; updated.
            tokens: All tokens to hold, not the new ones alone.

        Returns:
            False, and nothing has changed, when too few blocks are free.
        """
        blocks, full = -(-tokens // self.block_size), tokens // self.block_size
        if blocks - table.shared - table.private > self.free_blocks and not self.fits(table, tokens):
            return False
        if full > table.shared:
            self._share(table, full)
        private = blocks - table.shared
        self.hold_private(private - table.private)
        table.private = private
        return True

    def hold_private(self, blocks: int) -> None:
        """Hold more blocks without a name, at most those that are free; their sequences' tables are told later."""
        self.free_blocks -= blocks
        self._unused_blocks -= blocks
        if self._unused_blocks < 0:
            self._evict(-self._unused_blocks)

    def release(self, table: BlockTable) -> None:
        """Take all blocks from a sequence; the full ones stay cached until their room is needed."""
        idle, freed, piece = self._idle, table.private, table.piece
        while piece is not None:
            piece.holders -= 1
            if not piece.holders:
                idle[piece] = None
                freed += piece.blocks
            piece = piece.previous
        self.free_blocks += freed
        self._unused_blocks += table.private
        table.shared = table.segment = table.private = 0
        table.piece = None

    def replay(self, prompt: Prompt, blocks: int | None = None) -> int:
        """Serve a prompt in no time: what it finds, leaving its blocks behind as the most recently used.

        For traces without timing. A prompt larger than the cache, which an engine would refuse, streams through: it
        drives everything out and leaves no beginning that another could find.

        Args:
            prompt: What is served.
            blocks: Leave no more than its first so many blocks behind; None for all.

        Returns:
            Tokens found in the cache.
        """
        found = self.cached_tokens(prompt)
        if not self.hold(table := BlockTable(prompt), (prompt.blocks if blocks is None else blocks) * self.block_size):
            self._evict(self.free_blocks - self._unused_blocks)
        self.release(table)
        return found

    def _following(self, table: BlockTable) -> _Piece | None:
        """What the cache has of the prompt behind the blocks that a sequence holds."""
        prompt, index = table.prompt, table.segment
        if table.piece is not None and table.shared > (prompt.ends[index - 1] if index else 0):
            return table.piece.next
        return self._pieces.get(prompt.segments[index]) if index < len(prompt.segments) else None

    def _share(self, table: BlockTable, blocks: int) -> None:
        """Let a sequence hold its blocks up to this many, as far as they have names, whether they are cached or not."""
        segments, ends, pieces = table.prompt.segments, table.prompt.ends, self._pieces
        piece, last, position, index = self._following(table), table.piece, table.shared, table.segment
        count = len(segments)
        while piece is not None and position < blocks:
            position += piece.blocks
            if position > blocks:
                piece = self._split(piece, piece.blocks - position + blocks)
                position = blocks
            if piece.holders:
                piece.holders += 1
            else:
                piece.holders = 1
                del self._idle[piece]
                self.free_blocks -= piece.blocks
            last = piece
            piece = piece.next
            if position == ends[index]:
                index += 1
                piece = pieces.get(segments[index]) if index < count else None
        found = position
        while position < blocks and index < count:
            new = min(ends[index], blocks) - position
            if last is None or position == (ends[index - 1] if index else 0):
                pieces[segments[index]] = last = _Piece(segments[index], new, last)
            elif last.holders == 1:
                last.blocks += new
            else:
                last.next = _Piece(segments[index], new, last)
                last = last.next
            position += new
            index += position == ends[index]
        table.piece, table.shared, table.segment = last, position, index
        self.free_blocks -= position - found
        self._unused_blocks -= position - found

    def _split(self, piece: _Piece, blocks: int) -> _Piece:
        """Part a piece in two; the tail keeps its place in the order of eviction.

        Returns:
            The head, of so many blocks.
        """
        head = _Piece(piece.segment, blocks, piece.previous)
        head.holders, head.next = piece.holders, piece
        if self._pieces[piece.segment] is piece:
            self._pieces[piece.segment] = head
        elif piece.previous is not None:
            piece.previous.next = head
        piece.previous = head
        piece.blocks -= blocks
        if not head.holders:
            self._idle[head] = None
        return head

    def _held_by_others(self, table: BlockTable, blocks: int) -> int:
        """Blocks up to this many that a sequence does not hold and need not take from the free ones."""
        segments, ends = table.prompt.segments, table.prompt.ends
        piece, position, index = self._following(table), table.shared, table.segment
        while piece is not None and piece.holders and position < blocks:
            position += piece.blocks
            if position < ends[index]:
                piece = piece.next
            else:
                index += 1
                piece = self._pieces.get(segments[index]) if index < len(segments) else None
        return max(0, min(position, blocks) - table.shared)

    def _evict(self, blocks: int) -> None:
        """Drop so many idle blocks."""
        self._unused_blocks += blocks
        while blocks:
            piece = next(iter(self._idle))
            if piece.blocks > blocks:
                piece.blocks -= blocks
                return
            blocks -= piece.blocks
            del self._idle[piece]
            if self._pieces[piece.segment] is piece:
                del self._pieces[piece.segment]
            elif piece.previous is not None:
                piece.previous.next = None


class _Piece:
    """Consecutive blocks of one segment that were last held, or are held, together."""

    __slots__ = ("blocks", "holders", "next", "previous", "segment")

    def __init__(self, segment: Hashable, blocks: int, previous: _Piece | None) -> None:
        self.segment = segment
        self.blocks = blocks
        self.holders = 1
        """Sequences that hold it."""
        self.previous = previous
        """What every prompt that goes on with it has before it; of the same segment or the one before."""
        self.next: _Piece | None = None
        """What follows of the same segment."""
