"""Lengths and blocks of a request's prompt and answer, counted or estimated."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN, chained_hashes, name_of, names_of, resized, tokens_of
from warmroute.traffic.writers.line_writer import LeftOutError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.traffic.record import TrafficRequest

MAX_TOKENS = 1 << 24
"""Most tokens that are taken for a length: more than any model reads, and few enough to list their blocks."""

ESTIMATED_INPUT = f"input lengths estimated, {CHARACTERS_PER_TOKEN} characters a token"
ESTIMATED_ANSWER = f"answer lengths estimated, {CHARACTERS_PER_TOKEN} characters a token"


def answer_tokens(request: TrafficRequest, adapted: set[str]) -> int | None:
    """Tokens of the answer; None where nothing tells its length.

    Args:
        request: The request.
        adapted: Takes a word on an estimate.

    Raises:
        LeftOutError: It is no length.
    """
    tokens = request.output_tokens
    if tokens is None and request.output_characters is not None:
        adapted.add(ESTIMATED_ANSWER)
        tokens = tokens_of(request.output_characters) if request.output_characters >= 0 else -1
    if tokens is not None and not 0 <= tokens <= MAX_TOKENS:
        raise LeftOutError(f"an answer's length that is not between 0 and {MAX_TOKENS:,} tokens")
    return tokens


def prompt_blocks(request: TrafficRequest, block_tokens: int, adapted: set[str]) -> tuple[int, list[int]]:
    """Tokens of the prompt, and the names of its blocks: one for each, the last one perhaps not full.

    From a text, the length is an estimate even if it was counted: the blocks are cut by characters, and a length that
    contradicts them makes replaying tools fail.

    Args:
        request: The request.
        block_tokens: Tokens to a block.
        adapted: Takes a word on an estimate.

    Raises:
        LeftOutError: Nothing tells its blocks, or they contradict its length.
    """
    if request.block_hashes:
        return _of_hashes(request, block_tokens)
    if request.text is None:
        raise LeftOutError("neither text nor block hashes")
    text = prompt_text(request)
    tokens = tokens_of(len(text))
    if not text or tokens > MAX_TOKENS:
        raise LeftOutError(f"a prompt that is not between 1 and {MAX_TOKENS:,} tokens long")
    if tokens != request.input_tokens:
        adapted.add(ESTIMATED_INPUT)
    # Prompts of another adapter or root share no KV cache, whatever their texts have in common.
    salt = f"{len(request.adapter)} {request.adapter}{request.prompt_root}"
    hashes = chained_hashes(text, block_tokens * CHARACTERS_PER_TOKEN, salt=salt, with_rest=True)
    return tokens, [name_of(each) for each in hashes]


def prompt_text(request: TrafficRequest) -> str:
    """All that a model reads of a request whose text is known: what it is told before the text, and the text."""
    return request.prompt_root + (request.text or "")


def _of_hashes(request: TrafficRequest, block_tokens: int) -> tuple[int, list[int]]:
    names: Sequence[int] = names_of(request.block_hashes)
    own = request.block_tokens
    if own < 1:
        raise LeftOutError("block hashes without the tokens of a block")
    tokens = len(names) * own if request.input_tokens is None else request.input_tokens
    if not 1 <= tokens <= MAX_TOKENS:
        raise LeftOutError(f"a prompt that is not between 1 and {MAX_TOKENS:,} tokens long")
    if len(names) == tokens // own and tokens % own:  # Its source names full blocks only; the rest is like no other.
        place = f"{request.line} {request.source}".encode("utf-8", "surrogatepass")
        names = [*names, name_of(hashlib.sha256(place).digest())]
    if len(names) != -(-tokens // own):
        raise LeftOutError("block hashes whose number contradicts the prompt's length")
    found = resized(names, own, block_tokens, tokens)
    if found is None:
        raise LeftOutError(f"blocks of a size that does not make up blocks of {block_tokens} tokens")
    return tokens, found
