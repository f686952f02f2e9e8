"""What a digest's file tells of itself, beside its columns."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.digest.columns import CHUNK_CHARACTERS, LADDER
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.sources.named import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1
"""Changes whenever the columns or the hashes do."""

KEY = b"warmroute.digest"
"""The entry of the Parquet file's metadata."""

MOST_LENGTHS = 64
"""Of a ladder; each is 16 bytes of every row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMetadata:
    """How a digest was made, and what was left out of it."""

    ladder: tuple[int, ...] = LADDER
    """Prefix lengths at which keys were taken: bytes of the body, characters of the text."""

    chunk_characters: int = CHUNK_CHARACTERS
    """Characters of a chunk of the text."""

    rejects: Mapping[str, int] = field(default_factory=dict)
    """How many recorded entries became no row, by reason."""

    sampling_percentage: float | None = None
    """How many of a hundred requests were recorded, where it was told."""

    answers_by_characters: int = 0
    """Requests whose ``output_tokens`` are a quarter of the characters of their answer, since nothing else was told."""

    sources: tuple[str, ...] = ()
    """What was read, as it was named; the file escapes what cannot be printed."""

    def as_json(self) -> bytes:
        """The entry of the file's metadata."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        sources = [printable(source) for source in self.sources]
        return orjson.dumps({**told, "version": VERSION, "rejects": dict(self.rejects), "sources": sources})


def metadata_of(entry: bytes, file: str) -> DigestMetadata:
    """What the entry of a file's metadata tells.

    Raises:
        DigestError: Another version wrote it, or it is damaged.
    """
    try:
        told: dict[str, Any] = orjson.loads(entry)
        version = told.pop("version")
        if version != VERSION:
            raise DigestError(
                f"{file}: a digest of version {version}; this release of warmroute reads version {VERSION}.",
                "Make the digest again: warmroute digest SOURCE -o TABLE.",
            )
        ladder, sources = tuple(told.pop("ladder")), tuple(told.pop("sources"))
        return DigestMetadata(ladder=checked_ladder(ladder), sources=sources, **told)
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        raise DigestError(f"{file}: the digest's metadata are damaged.", "Make the digest again.") from error


def checked_ladder(ladder: tuple[int, ...]) -> tuple[int, ...]:
    """A ladder that keys can be taken at.

    Raises:
        DigestError: It is empty or too long, or its lengths are not positive whole numbers, each above the one before.
    """
    is_whole = all(type(length) is int and length > 0 for length in ladder)
    if not is_whole or not 0 < len(ladder) <= MOST_LENGTHS or any(a >= b for a, b in pairwise(ladder)):
        raise DigestError(
            f"The ladder of prefix lengths is {', '.join(map(str, ladder)) or 'empty'}.",
            f"Give 1 to {MOST_LENGTHS} positive whole numbers, each above the one before.",
        )
    return ladder


def ladder_of(text: str) -> tuple[int, ...]:
    """The ladder that a text such as ``1024,4096`` stands for.

    Raises:
        DigestError: As ``checked_ladder``.
    """
    try:
        ladder = tuple(int(length) for length in text.split(","))
    except ValueError:
        raise DigestError(f"{text} is no ladder of prefix lengths.", "Give numbers such as 1024,4096,16384.") from None
    return checked_ladder(ladder)
