"""A prompt as a prefix cache sees it: how long it is, and which blocks of others it begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN, chained_hashes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

BLOCK_SIZE = 16
"""Tokens in a block. Source: vLLM's default ``block_size`` on GPUs."""


class Prompt:
    """A prompt; it does not change.

    Args:
        tokens: Its length.
        segments: Names of its full blocks, or of runs of them, each standing for the whole prompt up to its end. A
            caller that knows the answer may go on with what the answer fills: it enters the cache as the answer
            grows, for the next turn of the conversation to find.
        ends: Blocks up to the end of each segment; left out where each is a single block.
    """

    __slots__ = ("blocks", "ends", "segments", "tokens")

    def __init__(self, tokens: int, segments: Sequence[Hashable] = (), ends: Sequence[int] | None = None) -> None:
        self.tokens = tokens
        self.segments = segments
        self.ends = range(1, len(segments) + 1) if ends is None else ends
        self.blocks = self.ends[-1] if self.ends else 0
        """Full blocks that have a name."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prompt) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Prompt(tokens={self.tokens}, blocks={self.blocks}, segments={len(self.segments)})"

    def _values(self) -> tuple[Any, ...]:
        return (self.tokens, *self.segments, *self.ends)


def prompt_blocks(
    text: str, *, chars_per_token: int = CHARACTERS_PER_TOKEN, block_size: int = BLOCK_SIZE, salt: str = ""
) -> Prompt:
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
    hashes = chained_hashes(text, chars_per_token * block_size, salt=salt)
    return Prompt(max(1, -(-len(text) // chars_per_token)), tuple(hashes))
