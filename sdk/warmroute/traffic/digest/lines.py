"""Lines of files as a table, some at a time.

They are read here rather than by DuckDB: its readers take 2,048 lines at once, however long, and tell neither their
numbers nor all that is wrong with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.entries.lines import lines
from warmroute.traffic.errors import DamagedError, TrafficError
from warmroute.traffic.sources.streams import decompressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from warmroute.traffic.sources.named import Source

_Row = tuple[int, bytes | None, str | None]
"""Number, text and fault of a line."""


def line_columns() -> pa.Schema:
    """The columns of ``capture.LINES``."""
    import pyarrow as pa

    return pa.schema([("source", pa.string()), ("line", pa.int64()), ("data", pa.string()), ("fault", pa.string())])


def line_batches(sources: Iterable[Source], limit_bytes: int) -> Iterator[pa.RecordBatch]:
    """The lines of files that are not blank, in batches of a few megabytes, one longer line aside.

    Args:
        sources: The files.
        limit_bytes: Length from which on a line is passed over, unread.

    Raises:
        TrafficError: A file cannot be opened, or reading it fails.
    """
    for source in sources:
        rows: list[_Row] = []
        held = 0
        for row in _rows(source, limit_bytes):
            rows.append(row)
            held += len(row[1] or b"")
            if held >= _BATCH_BYTES or len(rows) >= _BATCH_ROWS:
                yield _batch(source.name, rows)
                rows, held = [], 0
        if rows:
            yield _batch(source.name, rows)


_BATCH_BYTES = 1 << 20
_BATCH_ROWS = 2_048


def _rows(source: Source, limit_bytes: int) -> Iterator[_Row]:
    number = 0
    try:
        with source.open() as raw:
            for piece in lines(decompressed(raw), limit_bytes):
                number = piece.number
                data = piece.data.removeprefix(b"\xef\xbb\xbf") if piece.data is not None else None
                yield number, data, piece.fault or None
    except DamagedError:
        yield number + 1, None, "compressed data are damaged or cut off here; the rest is unread"
    except OSError as error:
        reason = error.strerror or error
        raise TrafficError(f"{source.name}: reading failed: {reason}.", "Check the file and its medium.") from None


def _batch(source: str, rows: list[_Row]) -> pa.RecordBatch:
    import pyarrow as pa

    try:
        texts = pa.array([data for _, data, _ in rows], pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        rows = [_as_text(row) for row in rows]
        texts = pa.array([data for _, data, _ in rows], pa.binary()).cast(pa.string())
    numbers, faults = [number for number, _, _ in rows], [fault for _, _, fault in rows]
    columns: list[Any] = [[source] * len(rows), numbers, texts, faults]
    return pa.record_batch(columns, schema=line_columns())


def _as_text(row: _Row) -> _Row:
    number, data, _ = row
    try:
        (data or b"").decode()
    except UnicodeDecodeError:
        return number, None, "not UTF-8"
    return row
