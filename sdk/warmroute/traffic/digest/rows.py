"""Requests as rows of the digest: written once, for every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warmroute.traffic.digest.engines.functions import Functions

ORIGIN = ("source", "line", "reject")
"""Where a row comes from, and why it is none, if so: columns that only the making of a digest needs."""


def digest_rows(requests: Any, functions: Functions) -> Any:
    """The rows of a table of requests, in no order.

    Args:
        requests: A table in Ibis with the columns of ``request_columns``.
        functions: What the engine does in its own way.

    Returns:
        A table in Ibis: the columns ``ORIGIN``, then those of ``schema``.
    """
    import ibis

    has_blocks = requests.text.isnull() & (requests.block_hashes.length() > 0)
    chunks = functions.chunk_hashes(requests.text)
    adapter = requests.adapter.length().cast("string").concat(":", requests.adapter)
    kept = ("arrival_seconds", "arrival_resolution_seconds", "turn", "api", "input_tokens", "output_tokens")
    columns = {name: requests[name] for name in (*ORIGIN, "request", *kept)}
    made = {
        "session": _hash_of_name(requests.session, functions),
        "prefix_aware_id": _hash_of_name(requests.prefix_aware_id, functions),
        "body_bytes": functions.byte_length(requests.body),
        "text_characters": requests.text.length().cast("int64"),
        "byte_keys": functions.byte_window_hashes(requests.body),
        "text_keys": functions.text_window_hashes(requests.text),
        "root": functions.hash_of_text(adapter.concat(requests.prompt_root)),
        "chunks": ibis.ifelse(has_blocks, requests.block_hashes, chunks),
        "chunk_tokens": ibis.ifelse(has_blocks, requests.block_tokens, ibis.null("int32")),
    }
    return requests.select(**columns, **made)


def _hash_of_name(name: Any, functions: Functions) -> Any:
    import ibis

    return ibis.ifelse(name == "", ibis.null("int64"), functions.hash_of_text(name))
