"""Rows as the digest's file: in order, with its metadata, and whole or not at all."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.traffic.digest.columns import schema
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.metadata import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warmroute.traffic.digest.metadata import DigestMetadata


def write_digest(connection: Any, rows: str, order: str, path: Path, metadata: DigestMetadata) -> None:
    """Write the digest's file.

    Args:
        connection: To DuckDB.
        rows: A relation there with the digest's columns.
        order: What its rows with the same time, or none, are sorted by.
        path: The file.
        metadata: What the file tells of itself.

    Raises:
        DigestError: The file cannot be written.
    """
    import pyarrow as pa
    from pyarrow import parquet

    columns = schema()
    query = f"SELECT {', '.join(columns.names)} FROM {rows} ORDER BY arrival_seconds NULLS LAST, {order}"  # noqa: S608
    with (
        replacing(path) as unfinished,
        parquet.ParquetWriter(
            unfinished, columns.with_metadata({KEY: metadata.as_json()}), compression="zstd"
        ) as writer,
    ):
        for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
            writer.write_table(pa.Table.from_batches([batch]).cast(columns))


_BATCH_ROWS = 65_536


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside another one, which takes its place at the end, or goes if something fails.

    Raises:
        DigestError: It cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise DigestError(
            f"{path}: the digest cannot be written: {error.strerror or error}.", "Give a path that can be written."
        ) from None
    finally:
        unfinished.unlink(missing_ok=True)
