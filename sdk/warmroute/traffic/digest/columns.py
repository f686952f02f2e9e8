"""The digest's table: one row for each request, by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

LADDER = tuple(round(1_024 * 2 ** (step * 6 / 15)) for step in range(16))
"""Prefix lengths at which keys are taken, from SageMaker's least to its greatest, each 1.32 times the one before."""

CHUNK_CHARACTERS = 512
"""Characters of a chunk: how finely the table tells what prompts have in common, about 128 tokens."""


def schema() -> pa.Schema:
    """The table's columns.

    Hashes are the first 8 bytes of a SHA-256, as a signed number; the table's metadata tells ``ladder`` and
    ``chunk_characters``, and whether texts were there at all.
    """
    import pyarrow as pa

    hashes = pa.list_(pa.int64())
    return pa.schema(
        [
            ("request", pa.string()),  # Event id, or "source:line".
            ("arrival_seconds", pa.float64()),  # Null where the source tells no time.
            ("arrival_resolution_seconds", pa.float64()),
            ("session", pa.int64()),  # Hash of the session's name; null without one.
            ("turn", pa.int32()),
            ("api", pa.string()),  # "invoke", "openai" or null.
            ("prefix_aware_id", pa.int64()),  # Hash; null without one.
            ("body_bytes", pa.int64()),  # Null where the body is unknown.
            ("text_characters", pa.int64()),  # Null where the text is unknown.
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),  # Of an answer whose characters alone are told, a quarter of these.
            ("byte_keys", hashes),  # Key at each length of the ladder, of the body's bytes; null without a body.
            ("text_keys", hashes),  # The same of the text's characters; null without a text.
            ("root", pa.int64()),  # Hash of adapter and prompt_root; prompts of two roots share no KV cache.
            ("chunks", hashes),  # Hash of each full chunk of the text by itself: equal beginnings are equal prompts.
            ("chunk_tokens", pa.int32()),  # Tokens to a chunk, where a source of hashes told it; else null.
        ]
    )
