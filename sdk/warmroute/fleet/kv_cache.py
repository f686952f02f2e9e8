"""vLLM's prefix cache, as far as it decides what is cached: which blocks are held, found again and evicted.

Blocks are known by the segments of their prompts alone. A block that several sequences share, or compute at the same
moment, counts once; vLLM keeps a second copy in the latter case.

Whatever was held and released together is kept as one piece, so that the work does not grow with the number of
blocks. Nothing is lost by that: whoever uses a block uses all that come before it, so a piece is never older than the
one behind it, and the next block to be evicted is always the last one of the oldest piece.

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

    __slots__ = ("private", "prompt", "segment", "shared")

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.shared = 0
        """Leading blocks held that are full and have a name, so that others can find them."""
        self.segment = 0
        """Segment of the prompt that the next such block belongs to."""
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
        self.held_blocks = 0
        """Blocks that running sequences hold."""
        self._idle_blocks = 0
        self._private_blocks = 0
        self._pieces: dict[Hashable, _Piece] = {}
        """The first piece of each segment."""
        self._idle: OrderedDict[_Piece, None] = OrderedDict()
        """Pieces that no sequence holds, the next to be evicted first."""

    @property
    def free_blocks(self) -> int:
        """Blocks that a sequence can get, cached ones included."""
        return self.capacity_blocks - self.held_blocks

    @property
    def cached_blocks(self) -> int:
        """Blocks that a prompt can find, held or not."""
        return self.held_blocks - self._private_blocks + self._idle_blocks

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
        free = self.capacity_blocks - self.held_blocks
        wanted = -(-tokens // self.block_size) - table.shared - table.private
        return wanted <= free or wanted - self._held_by_others(table, tokens // self.block_size) <= free

    def continues(self, table: BlockTable) -> bool:
        """Whether the next block that a sequence fills is one that the cache already has."""
        prompt = table.prompt
        if table.segment == len(prompt.segments):
            return False
        begin = prompt.ends[table.segment - 1] if table.segment else 0
        piece = self._pieces.get(prompt.segments[table.segment])
        while piece is not None and begin < table.shared:
            begin += piece.blocks
            piece = piece.next
        return piece is not None

    def hold(self, table: BlockTable, tokens: int) -> bool:
        """Give a sequence the blocks for its first tokens, those already cached and new ones.

        Full blocks can be found by others at once, as vLLM has it, although they are computed in the step to come.

        Args:
            table: The sequence's blocks so far; updated.
            tokens: All tokens to hold, not the new ones alone.

        Returns:
            False, and nothing has changed, when too few blocks are free.
        """
        prompt, size = table.prompt, self.block_size
        shared = tokens // size
        private = 0 if shared * size == tokens else 1
        if shared > prompt.blocks:
            private += shared - prompt.blocks
            shared = prompt.blocks
        wanted = shared + private - table.shared - table.private
        if wanted > self.capacity_blocks - self.held_blocks and not self.fits(table, tokens):
            return False
        if shared > table.shared:
            self._share(table, shared)
        if private != table.private:
            self.held_blocks += private - table.private
            self._private_blocks += private - table.private
            table.private = private
        excess = self.held_blocks + self._idle_blocks - self.capacity_blocks
        if excess > 0:
            self._evict(excess)
        return True

    def hold_private(self, blocks: int) -> None:
        """Hold more blocks without a name, at most those that are free; their sequences' tables are told later."""
        self.held_blocks += blocks
        self._private_blocks += blocks
        excess = self.held_blocks + self._idle_blocks - self.capacity_blocks
        if excess > 0:
            self._evict(excess)

    def release(self, table: BlockTable) -> None:
        """Take all blocks from a sequence; the full ones stay cached until their room is needed."""
        pieces, index = self._pieces, table.segment
        segments, ends = table.prompt.segments, table.prompt.ends
        rest = table.shared - (ends[index - 1] if index else 0)
        if rest:
            self._let_go(_pieces_up_to(pieces[segments[index]], rest))
        idle, freed = self._idle, 0
        while index:
            index -= 1
            piece = pieces[segments[index]]
            if piece.next is not None:
                self._let_go(_pieces_up_to(piece, ends[index] - (ends[index - 1] if index else 0)))
            elif piece.holders > 1:
                piece.holders -= 1
            else:
                piece.holders = 0
                idle[piece] = None
                freed += piece.blocks
        self._idle_blocks += freed
        self.held_blocks -= freed + table.private
        self._private_blocks -= table.private
        table.shared = table.segment = table.private = 0

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
            self._evict(self._idle_blocks)
        self.release(table)
        return found

    def _share(self, table: BlockTable, shared: int) -> None:
        """Let a sequence hold the named blocks up to this many, whether they are cached or not."""
        pieces, prompt, index = self._pieces, table.prompt, table.segment
        segments, ends = prompt.segments, prompt.ends
        begin, position = ends[index - 1] if index else 0, table.shared
        while position < shared:
            segment, end = segments[index], ends[index]
            if end > shared:
                end = shared
            else:
                index += 1
            blocks = end - begin
            piece = pieces.get(segment)
            # The usual cases first: nothing of the segment is cached, or what there is of it is one piece.
            if piece is None:
                pieces[segment] = _Piece(segment, blocks, 1)
                self.held_blocks += blocks
            elif piece.blocks == blocks and position == begin:
                if piece.holders:
                    piece.holders += 1
                else:
                    self._revive(piece)
            else:
                self._share_segment(piece, position - begin, blocks)
            begin = position = end
        table.shared, table.segment = shared, index

    def _share_segment(self, piece: _Piece, held: int, wanted: int) -> None:
        """Let a sequence that holds some of a segment's blocks hold more of them, from the first piece on."""
        position = 0
        last: _Piece = piece
        following: _Piece | None = piece
        while following is not None and position < wanted:
            last = following
            if position >= held:
                if position + last.blocks > wanted:
                    last = self._split(last, wanted - position)
                if last.holders:
                    last.holders += 1
                else:
                    self._revive(last)
            position += last.blocks
            following = last.next
        if position < wanted:
            if last.holders == 1:
                last.blocks += wanted - position
            else:
                last.next = more = _Piece(last.segment, wanted - position, 1)
                more.previous = last
            self.held_blocks += wanted - position

    def _let_go(self, pieces: list[_Piece]) -> None:
        """Take consecutive pieces from one sequence that holds them, the tail first."""
        for piece in reversed(pieces):
            piece.holders -= 1
            if not piece.holders:
                self._idle[piece] = None
                self._idle_blocks += piece.blocks
                self.held_blocks -= piece.blocks

    def _revive(self, piece: _Piece) -> None:
        """Let a sequence hold a piece that none holds."""
        del self._idle[piece]
        self._idle_blocks -= piece.blocks
        self.held_blocks += piece.blocks
        piece.holders = 1

    def _split(self, piece: _Piece, blocks: int) -> _Piece:
        """Part a piece in two; the tail keeps its place in the order of eviction.

        Returns:
            The head, of so many blocks.
        """
        head = _Piece(piece.segment, blocks, piece.holders)
        head.previous, head.next, piece.previous = piece.previous, piece, head
        if head.previous is None:
            self._pieces[head.segment] = head
        else:
            head.previous.next = head
        piece.blocks -= blocks
        if not head.holders:
            self._idle[head] = None
        return head

    def _held_by_others(self, table: BlockTable, blocks: int) -> int:
        """Blocks up to this many that a sequence does not hold and need not take from the free ones."""
        prompt, found = table.prompt, 0
        for index in range(table.segment, len(prompt.segments)):
            position = prompt.ends[index - 1] if index else 0
            piece = self._pieces.get(prompt.segments[index])
            while piece is not None and piece.holders and position < blocks:
                if position >= table.shared:
                    found += min(piece.blocks, blocks - position)
                position += piece.blocks
                piece = piece.next
            if position < prompt.ends[index]:
                break
        return found

    def _evict(self, blocks: int) -> None:
        """Drop so many idle blocks."""
        self._idle_blocks -= blocks
        while blocks:
            piece = next(iter(self._idle))
            if piece.blocks > blocks:
                piece.blocks -= blocks
                return
            blocks -= piece.blocks
            del self._idle[piece]
            if piece.previous is None:
                del self._pieces[piece.segment]
            else:
                piece.previous.next = None


class _Piece:
    """Consecutive blocks of one segment that were last held, or are held, together."""

    __slots__ = ("blocks", "holders", "next", "previous", "segment")

    def __init__(self, segment: Hashable, blocks: int, holders: int) -> None:
        self.segment = segment
        self.blocks = blocks
        self.holders = holders
        """Sequences that hold it."""
        self.previous: _Piece | None = None
        self.next: _Piece | None = None


def _pieces_up_to(first: _Piece, blocks: int) -> list[_Piece]:
    """The first pieces of a segment, of so many blocks together."""
    pieces, piece = [], first
    while blocks > piece.blocks:
        pieces.append(piece)
        blocks -= piece.blocks
        piece = piece.next  # type: ignore[assignment]  # A sequence's pieces reach to the last block that it holds.
    pieces.append(piece)
    return pieces
