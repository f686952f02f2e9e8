"""What a router remembers of the prompts that it sent to a server whose KV cache it cannot see."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from warmroute.fleet import BLOCK_SIZE

if TYPE_CHECKING:
    from collections.abc import Hashable

    from warmroute.fleet import Prompt

ASSUMED_CACHE_TOKENS = 1_000_000
"""Assumption: tokens that a server's KV cache holds."""


class SentPrompts:
    """The blocks of prompts that one server was sent; the least recently sent are forgotten beyond its capacity.

    Args:
        capacity_tokens: Tokens that its KV cache holds.
    """

    def __init__(self, capacity_tokens: int = ASSUMED_CACHE_TOKENS) -> None:
        self._capacity = max(1, capacity_tokens // BLOCK_SIZE)
        self._blocks: OrderedDict[Hashable, None] = OrderedDict()

    def add(self, prompt: Prompt) -> None:
        """A prompt is sent to the server."""
        # Back to front, so that the beginning of a prompt is forgotten last.
        for block in reversed(prompt.segments):
            self._blocks[block] = None
            self._blocks.move_to_end(block)
        while len(self._blocks) > self._capacity:
            self._blocks.popitem(last=False)

    def clear(self) -> None:
        """The server has started anew."""
        self._blocks.clear()

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens of a prompt that it was sent before."""
        known = 0
        for block in prompt.segments:
            if block not in self._blocks:
                break
            known += 1
        return known * BLOCK_SIZE
