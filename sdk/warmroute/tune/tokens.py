"""How many tokens prompts, answers and chunks of text have."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, median_low
from typing import TYPE_CHECKING

from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.tune.observed import Observed

ANSWER_TOKENS = 200
"""Tokens of an answer where the trace tells none at all."""

_LEAST_RATIO, _MOST_RATIO = 1.0, 8.0
"""Characters to a token, from Chinese or JSON of numbers to long English words."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens of every observed request."""

    input_tokens: Sequence[int]
    output_tokens: Sequence[int]
    root_tokens: Mapping[int | None, int]
    """Tokens that the model is shown before the text, tools for one, by the root of the prompt."""

    chunk_tokens: int
    """Tokens to a chunk of text."""

    notes: tuple[str, ...]


def token_counts(observed: Observed) -> TokenCounts:
    """Tokens as the trace counted them; elsewhere, from the length of the text."""
    notes = []
    ratio, roots = _fitted(observed)
    inputs = []
    for row, characters in enumerate(observed.characters()):
        tokens = observed.input_tokens[row]
        if tokens is None:
            tokens = roots.get(observed.root[row], 0) + round(characters / ratio)
        inputs.append(max(1, tokens))
    unknown = sum(tokens is None for tokens in observed.input_tokens)
    if unknown:
        notes.append(
            f"{_some(unknown, len(observed))} without a count of tokens: {ratio:.3g} characters are one token."
        )
    outputs, sentence = _answers(observed)
    notes += sentence
    return TokenCounts(inputs, outputs, roots, max(1, round(observed.chunk_characters / ratio)), tuple(notes))


def _fitted(observed: Observed) -> tuple[float, dict[int | None, int]]:
    """Characters to a token, and tokens before the text by root: least squares over the requests that tell both."""
    groups: defaultdict[int | None, list[tuple[int, int]]] = defaultdict(list)
    for root, characters, tokens in zip(observed.root, observed.text_characters, observed.input_tokens, strict=True):
        if characters is not None and tokens is not None:
            groups[root].append((characters, tokens))
    square = product = 0.0
    means = {}
    for root, pairs in groups.items():
        x_mean, y_mean = (fmean(values) for values in zip(*pairs, strict=True))
        means[root] = x_mean, y_mean
        square += sum((x - x_mean) ** 2 for x, _ in pairs)
        product += sum((x - x_mean) * (y - y_mean) for x, y in pairs)
    ratio = square / product if product > 0 else float(CHARACTERS_PER_TOKEN)
    ratio = min(_MOST_RATIO, max(_LEAST_RATIO, ratio))
    return ratio, {root: max(0, round(y - x / ratio)) for root, (x, y) in means.items()}


def _answers(observed: Observed) -> tuple[list[int], list[str]]:
    known = [tokens for tokens in observed.output_tokens if tokens is not None]
    usual = median_low(known) if known else ANSWER_TOKENS
    outputs = [max(1, usual if tokens is None else tokens) for tokens in observed.output_tokens]
    unknown = len(observed) - len(known)
    if not unknown:
        return outputs, []
    why = "the median of the others" if known else "an assumption"
    return outputs, [f"{_some(unknown, len(observed))} without the length of the answer: {usual} tokens, {why}."]


def _some(count: int, total: int) -> str:
    return f"All {total:,} requests are" if count == total else f"{count:,} of {total:,} requests are"
