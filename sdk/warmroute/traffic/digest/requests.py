"""Requests of any source as a table, some at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.bodies.blocks import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from warmroute.traffic.record import TrafficRequest


def request_columns() -> pa.Schema:
    """The columns of requests, from which the rows of a digest are made."""
    import pyarrow as pa

    return pa.schema(
        [
            ("source", pa.string()),
            ("line", pa.int64()),
            ("reject", pa.string()),  # Why this is no request; null for a request.
            ("request", pa.string()),
            ("arrival_seconds", pa.float64()),
            ("arrival_resolution_seconds", pa.float64()),
            ("session", pa.string()),  # Empty without one; so the next four.
            ("prefix_aware_id", pa.string()),
            ("adapter", pa.string()),
            ("prompt_root", pa.string()),
            ("turn", pa.int32()),
            ("api", pa.string()),
            ("body", pa.binary()),
            ("text", pa.string()),
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),
            ("block_hashes", pa.list_(pa.int64())),
            ("block_tokens", pa.int32()),
        ]
    )


def request_batches(requests: Iterable[TrafficRequest]) -> Iterator[pa.RecordBatch]:
    """Requests as batches of a bounded size, one longer request aside.

    A text or name with a lone surrogate has no UTF-8: such a text is unknown, and such a name an escaped one.
    """
    import pyarrow as pa

    columns = request_columns()
    rows: list[dict[str, Any]] = []
    held = 0
    for request in requests:
        rows.append(_row(request))
        held += len(request.body or b"") + len(request.text or "") + 8 * len(request.block_hashes)
        if len(rows) >= _BATCH_ROWS or held >= _BATCH_BYTES:
            yield pa.RecordBatch.from_pylist(rows, columns)
            rows, held = [], 0
    if rows:
        yield pa.RecordBatch.from_pylist(rows, columns)


def answer_tokens(request: TrafficRequest) -> int | None:
    """The length of an answer; of one whose characters alone are told, four of them are a token."""
    if request.output_tokens is None and request.output_characters is not None and request.output_characters >= 0:
        return tokens_of(request.output_characters)
    return request.output_tokens


_BATCH_ROWS = 2_048
_BATCH_BYTES = 1 << 24


def _row(request: TrafficRequest) -> dict[str, Any]:
    return {
        "source": _name(request.source),
        "line": request.line,
        "reject": None,
        "request": _name(request.request_id or f"{request.source}:{request.line}"),
        "arrival_seconds": request.arrival_seconds,
        "arrival_resolution_seconds": request.arrival_resolution_seconds,
        "session": _name(request.session),
        "prefix_aware_id": _name(request.prefix_aware_id),
        "adapter": _name(request.adapter),
        "prompt_root": _name(request.prompt_root),
        "turn": request.turn,
        "api": request.api,
        "body": request.body,
        "text": request.text if request.text is None or _is_utf8(request.text) else None,
        "input_tokens": request.input_tokens,
        "output_tokens": answer_tokens(request),
        "block_hashes": [_signed(block) for block in request.block_hashes],
        "block_tokens": request.block_tokens,
    }


def _name(name: str) -> str:
    return name if _is_utf8(name) else name.encode(errors="backslashreplace").decode()


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _signed(number: int) -> int:
    """A block's name as a signed number of 64 bits; traces have unsigned ones too."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
