"""Observed prompts piece by piece, so that they share a KV cache as far as their texts are equal."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from warmroute.fleet import PromptPieces

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from warmroute.tune.observed import Observed
    from warmroute.tune.tokens import TokenCounts

Piece = tuple["Hashable", int]


def pieces(
    observed: Observed, sessions: Sequence[Hashable], counts: TokenCounts, order: Sequence[int]
) -> Iterator[PromptPieces]:
    """The prompts of requests, each with the answer that the next turn of its session goes on from.

    Args:
        observed: The requests.
        sessions: What session each belongs to.
        counts: Tokens of each.
        order: Positions of those wanted, by arrival.
    """
    longest = _longest_of_their_sessions(observed, sessions, order)
    ends: defaultdict[Hashable, set[int]] = defaultdict(set)
    for row, last in longest.items():
        ends[last].update((counts.input_tokens[row], counts.input_tokens[row] + counts.output_tokens[row]))
    cuts = {last: sorted(found) for last, found in ends.items()}
    for row in order:
        tokens, last = counts.input_tokens[row], longest.get(row, row)
        known = tokens if last == row else tokens + counts.output_tokens[row]
        named = _cut(_named(observed, counts, last), cuts.get(last, []), known)
        yield PromptPieces(tokens, named, observed.root[row])


def _longest_of_their_sessions(
    observed: Observed, sessions: Sequence[Hashable], order: Sequence[int]
) -> dict[int, int]:
    """For each turn that a later one of its session begins with: the last one that does, and for that one itself."""
    lengths = observed.characters()
    after: dict[Hashable, int] = {}
    longest: dict[int, int] = {}
    for row in reversed(order):
        following = after.get(sessions[row])
        if following is not None and observed.has_texts and observed.root[following] == observed.root[row]:
            chunks, longer = observed.chunks[row] or (), observed.chunks[following] or ()
            if lengths[following] > lengths[row] and list(longer[: len(chunks)]) == list(chunks):
                longest[row] = longest.setdefault(following, following)
        after[sessions[row]] = row
    return longest


def _named(observed: Observed, counts: TokenCounts, row: int) -> Iterator[Piece]:
    """Names and tokens of a prompt's pieces: what comes before its text, its chunks, the rest."""
    root = counts.root_tokens.get(observed.root[row], 0)
    if root:
        yield "root", root
    length = observed.chunk_tokens[row] or counts.chunk_tokens
    for chunk in observed.chunks[row] or ():
        yield chunk, length
    whole = observed.whole_text(row)
    if whole is not None:
        yield ("whole", whole), max(length, counts.input_tokens[row])


def _cut(named: Iterator[Piece], cuts: Sequence[int], tokens: int) -> Iterator[Piece]:
    """The first so many tokens, divided where a turn of the session ends, which is inside a chunk."""
    begin = 0
    for name, length in named:
        end = begin + length
        for at in (*cuts[bisect_right(cuts, begin) : bisect_right(cuts, end - 1)], end):
            piece_end = min(at, tokens)
            if piece_end > begin:
                yield (name, at) if at != end or length != end - begin else name, piece_end - begin
            begin = at
            if begin >= tokens:
                return
