"""The requests of a digest, by column, and their routing keys at every length for which the digest tells them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.routing import MAX_PREFIX_LENGTH, MIN_PREFIX_LENGTH
from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from warmroute.inference_api import Api
    from warmroute.traffic.digest.table import DigestTable

_KNOWN = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Requests as a digest tells them, in its order. A column's value is None where the source did not tell it."""

    request: Sequence[str]
    """Names of the requests."""

    arrival_seconds: Sequence[float | None]
    arrival_resolution_seconds: Sequence[float | None]
    session: Sequence[int | None]
    turn: Sequence[int | None]
    api: Sequence[str | None]
    prefix_aware_id: Sequence[int | None]
    body_bytes: Sequence[int | None]
    text_characters: Sequence[int | None]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    byte_keys: Sequence[Sequence[int] | None]
    text_keys: Sequence[Sequence[int] | None]
    root: Sequence[int | None]
    chunks: Sequence[Sequence[int] | None]
    chunk_tokens: Sequence[int | None]

    ladder: tuple[int, ...]
    """Prefix lengths of ``byte_keys`` and ``text_keys``."""

    chunk_characters: int
    """Characters of text to a chunk."""

    @classmethod
    def of_digest(cls, digest: DigestTable, most: int | None) -> Observed:
        """The requests of a digest.

        Args:
            digest: The digest.
            most: How many to take of a larger one, its busiest in a row; None for all.

        Raises:
            WarmrouteError: It has no requests.
        """
        if not len(digest):
            raise WarmrouteError("The trace has no requests.", "Give one with some: at least a hundred, from one hour.")
        rows = _busiest_rows(digest, most)
        columns = {name: digest.column(name).slice(rows.start, len(rows)).to_pylist() for name in _COLUMNS}
        rungs = len(digest.metadata.ladder)
        if any(keys is not None and len(keys) != rungs for keys in columns["byte_keys"] + columns["text_keys"]):
            raise WarmrouteError(f"{digest.path}: it has not a key for each length of its ladder.", "Make it again.")
        return cls(**columns, ladder=digest.metadata.ladder, chunk_characters=digest.metadata.chunk_characters)

    def __len__(self) -> int:
        return len(self.arrival_seconds)

    @property
    def has_texts(self) -> bool:
        """Whether the text of any request was known; without, chunks are blocks of tokens that the source named."""
        return any(characters is not None for characters in self.text_characters)

    def apis(self) -> tuple[Api, ...]:
        """The APIs whose keys are known for nine of ten requests; the others count as unlike any."""
        enough = _KNOWN * len(self)
        texts = zip(self.text_keys, self.chunk_tokens, strict=True)
        by_text = sum(keys is not None or bool(tokens) for keys, tokens in texts) >= enough
        by_bytes = sum(keys is not None for keys in self.byte_keys) >= enough
        return (*(("invoke",) if by_bytes else ()), *(("openai",) if by_text else ()))

    def lengths(self, api: Api) -> list[int]:
        """Prefix lengths for which `keys` knows the keys of every request.

        Those of the ladder; for texts every multiple of a chunk, too.
        """
        ladder = set(self.ladder) if self.has_texts or api == "invoke" else set()
        if api == "openai":
            step = self._block_characters()
            most = max(ladder, default=MAX_PREFIX_LENGTH)
            ladder |= set(range(-(-MIN_PREFIX_LENGTH // step) * step, most + 1, step))
        return sorted(ladder)

    def keys(self, api: Api, length: int) -> list[Hashable]:
        """What PREFIX_AWARE compares of each request, equal where that is equal.

        Args:
            api: The API that they come by.
            length: One of `lengths`.
        """
        is_rung = length in self.ladder and (self.has_texts or api == "invoke")
        found = self._ladder_keys(api, length) if is_rung else self._chunk_keys(length)
        known = (("unlike", row) if key is None else key for row, key in enumerate(found))
        return list(zip(self.prefix_aware_id, known, strict=True))

    def is_shorter(self, api: Api, length: int) -> list[bool]:
        """Which requests are shorter than a prefix length, so that whatever follows them changes their key."""
        if api == "invoke":
            return [size is not None and size < length for size in self.body_bytes]
        return [(size or 0) < length for size in self.characters()]

    def characters(self) -> list[int]:
        """Length of each request's text; in a source without texts, what its tokens amount to."""
        return [
            characters if characters is not None else (tokens or 0) * CHARACTERS_PER_TOKEN
            for characters, tokens in zip(self.text_characters, self.input_tokens, strict=True)
        ]

    def whole_text(self, row: int) -> int | None:
        """What stands for the whole text of a request; None for one beyond the ladder, or none."""
        keys, characters = self.text_keys[row], self.text_characters[row]
        return keys[-1] if keys and characters is not None and characters <= self.ladder[-1] else None

    def _ladder_keys(self, api: Api, length: int) -> list[Hashable]:
        column = self.byte_keys if api == "invoke" else self.text_keys
        position = self.ladder.index(length)
        return [keys[position] if keys else None for keys in column]

    def _chunk_keys(self, length: int) -> Iterable[Hashable]:
        """The chunks up to a length; of a shorter text, the key of the whole of it."""
        count = length // self._block_characters()
        for row, chunks in enumerate(self.chunks):
            if chunks is not None and len(chunks) >= count:
                yield tuple(chunks[:count])
            else:
                yield self.whole_text(row) if self.has_texts else tuple(chunks or ())

    def _block_characters(self) -> int:
        if self.has_texts:
            return self.chunk_characters
        return CHARACTERS_PER_TOKEN * max(tokens or 1 for tokens in self.chunk_tokens)


_COLUMNS = tuple(name for name in Observed.__dataclass_fields__ if name not in {"ladder", "chunk_characters"})


def _busiest_rows(digest: DigestTable, most: int | None) -> range:
    """The rows in a row that arrived fastest, as many as wanted; from the beginning where there are no times."""
    if most is None or len(digest) <= most:
        return range(len(digest))
    at = digest.numbers("arrival_seconds")
    seconds = at[most - 1 :] - at[: len(at) - most + 1]
    known = [(took, first) for first, took in enumerate(seconds.tolist()) if not isnan(took)]
    first = min(known)[1] if known else 0
    return range(first, first + most)
