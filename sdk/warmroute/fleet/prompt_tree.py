"""Turns prompts that are told piece by piece into segments: runs of blocks that no prompt parts from the middle of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warmroute.fleet.prompt import BLOCK_SIZE, Prompt

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


class PromptPieces(NamedTuple):
    """A prompt piece by piece."""

    tokens: int
    """Length of the prompt. Pieces beyond it are the answer, as far as a later prompt may begin with it."""

    pieces: Iterable[tuple[Hashable, int]]
    """Name and tokens of each: a message, a document, a block of a trace. Prompts share their equal first pieces."""

    salt: Hashable = ""
    """Prompts of different salts share nothing: vLLM's ``cache_salt``, the adapter, or both."""


def share_prompts(prompts: Iterable[PromptPieces], *, block_size: int = BLOCK_SIZE) -> list[Prompt]:
    """Prompts in as few segments as possible, for any number of caches and simulations.

    The segments stand for the same blocks as the pieces would, one by one: a block belongs to the piece that its last
    token is in, and is shared by the prompts that are equal up to there.

    Args:
        prompts: All prompts that shall share blocks, in any order.
        block_size: Tokens to a block.
    """
    nodes: dict[tuple[int, Hashable, int], int] = {}
    parents, blocks, branches = [0], [0], [0]
    lengths, leaves = [], []
    for tokens, pieces, salt in prompts:
        node = _child(nodes, parents, blocks, branches, (0, ("salt", salt), 0), 0)
        total = 0
        for name, length in pieces:
            total += length
            node = _child(nodes, parents, blocks, branches, (node, name, length), total // block_size)
        lengths.append(tokens)
        leaves.append(node)
    for leaf in leaves:  # A prompt's end ends a segment, too.
        branches[leaf] += 2
    return _Paths(parents, blocks, branches).prompts(lengths, leaves)


def _child(
    nodes: dict[tuple[int, Hashable, int], int],
    parents: list[int],
    blocks: list[int],
    branches: list[int],
    edge: tuple[int, Hashable, int],
    end: int,
) -> int:
    """The node that an edge leads to, made if need be."""
    node = nodes.get(edge)
    if node is None:
        node = nodes[edge] = len(parents)
        parents.append(edge[0])
        blocks.append(end)
        branches.append(0)
        branches[edge[0]] += 1
    return node


class _Paths:
    """The way from the root to each prompt's end, over the nodes at which a segment ends."""

    def __init__(self, parents: list[int], blocks: list[int], branches: list[int]) -> None:
        self._parents, self._blocks, self._branches = parents, blocks, branches
        self._known: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {0: ((), ())}

    def prompts(self, lengths: list[int], leaves: list[int]) -> list[Prompt]:
        return [Prompt(tokens, *self._path(leaf)) for tokens, leaf in zip(lengths, leaves, strict=True)]

    def _path(self, leaf: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        way = []
        node = leaf
        while node not in self._known:
            if self._branches[node] != 1:
                way.append(node)
            node = self._parents[node]
        segments, ends = self._known[node]
        for node in reversed(way):
            if self._blocks[node] > (ends[-1] if ends else 0):
                segments, ends = (*segments, node), (*ends, self._blocks[node])
            self._known[node] = segments, ends
        return segments, ends
