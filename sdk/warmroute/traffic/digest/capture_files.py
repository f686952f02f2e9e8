"""Makes a digest of files of SageMaker Data Capture, which DuckDB or Spark reads itself."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.traffic.digest.capture import LINES, captured_requests, checked_session
from warmroute.traffic.digest.engines.duckdb import DuckDBFunctions, register
from warmroute.traffic.digest.engines.duckdb_rows import check_rows, load_rows
from warmroute.traffic.digest.engines.duckdb_session import batches_as, duckdb_session
from warmroute.traffic.digest.engines.query import Query
from warmroute.traffic.digest.engines.spark_rows import write_rows
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.lines import line_batches, line_columns
from warmroute.traffic.digest.metadata import DigestMetadata, checked_ladder
from warmroute.traffic.digest.rows import digest_rows
from warmroute.traffic.digest.write import write_digest
from warmroute.traffic.entries.entry import LINE_LIMIT_BYTES
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.sources.named import Source, find_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def digest_capture(
    paths: str | Path | Iterable[str | Path],
    path: str | Path,
    metadata: DigestMetadata | None = None,
    *,
    session: str = "",
    rejects: Rejects | None = None,
    memory_limit: str | None = None,
) -> None:
    """Make a digest of captured traffic of any size.

    Args:
        paths: Files, directories, patterns or ``s3://`` URIs; gzip and zstd are read.
        path: The file to write; one that is there is replaced when the new one is complete.
        metadata: Ladder, length of chunks, and the sampling percentage; sources and rejects are added.
        session: The field of a call that names its session, if the application sends one: one of ``SESSION_FIELDS``.
        rejects: Counts, and tells, the lines that are no request.
        memory_limit: What DuckDB may use, as "4GB"; four fifths of the machine's memory unless told. Lines longer
            than a sixteenth of it, or than 64 MiB, are rejected.

    Raises:
        DigestError: The ladder is none, the files cannot be read, hold no request, or the file cannot be written.
        TrafficError: No such file.
        MissingExtraError: The extra ``analysis`` is not installed.
    """
    with making(paths, path, metadata, session, rejects, memory_limit) as made:
        connection = made.connection
        register(connection, made.metadata)
        batches = line_batches(made.sources, _line_limit(connection))
        with batches_as(connection, "lines", line_columns(), batches):
            connection.execute(f"CREATE TEMP TABLE digest AS {rows_of_lines(session)}")


def digest_capture_on_spark(
    paths: str | Path | Iterable[str | Path],
    path: str | Path,
    metadata: DigestMetadata | None = None,
    *,
    session: str = "",
    rejects: Rejects | None = None,
    memory_limit: str | None = None,
    spark: Any = None,
    folder: str | None = None,
) -> None:
    """Make a digest of captured traffic that has outgrown this machine: Spark reads it, DuckDB sorts the rows.

    Args:
        paths: See ``digest_capture``; Spark must reach them too.
        path: See ``digest_capture``.
        metadata: See ``digest_capture``.
        session: See ``digest_capture``.
        rejects: See ``digest_capture``.
        memory_limit: See ``digest_capture``.
        spark: A session of Spark; the one that is there, or a new one, if not given.
        folder: A new folder for Spark's rows, which this machine can read too; on this machine if not given.

    Raises:
        DigestError: See ``digest_capture``.
        TrafficError: See ``digest_capture``.
        MissingExtraError: The extra ``spark`` is not installed.
    """
    with (
        making(paths, path, metadata, session, rejects, memory_limit) as made,
        tempfile.TemporaryDirectory(prefix=".digest-", dir=Path(path).parent) as own,
    ):
        rows = folder or f"{own}/rows"
        locations = [source.location for source in made.sources]
        write_rows(locations, rows, made.metadata, session, spark)
        load_rows(made.connection, rows, locations)


class _Making(NamedTuple):
    connection: Any
    sources: list[Source]
    metadata: DigestMetadata


@contextmanager
def making(
    paths: str | Path | Iterable[str | Path],
    path: str | Path,
    metadata: DigestMetadata | None,
    session: str,
    rejects: Rejects | None,
    memory_limit: str | None,
) -> Iterator[_Making]:
    """A session of DuckDB in which the table ``digest`` is made, then numbered, counted and written."""
    named = [paths] if isinstance(paths, (str, Path)) else list(paths)
    metadata, path = metadata or DigestMetadata(), Path(path)
    counts = rejects if rejects is not None else Rejects()
    checked_ladder(metadata.ladder)
    checked_session(session)
    with duckdb_session(path.parent, memory_limit) as connection:
        sources = find_sources(named)
        yield _Making(connection, sources, metadata)
        check_rows(connection)
        _count(connection, counts)
        if not connection.execute("SELECT 1 FROM checked WHERE reject IS NULL LIMIT 1").fetchall():
            shown = ", ".join(source.name for source in sources[:3]) + " …" * (len(sources) > 3)
            raise DigestError(
                f"{shown}: there is no captured request.",
                " ".join(counts.summary()[:3]) or "Give files of SageMaker Data Capture.",
            )
        told = replace(metadata, rejects=dict(counts.rejected), sources=tuple(map(str, named)))
        write_digest(connection, "(FROM checked WHERE reject IS NULL)", "position", path, told)


@cache
def rows_of_lines(session: str) -> str:
    """DuckDB's query for the rows of the table ``lines``; which field tells the session is all that it depends on."""
    import ibis

    functions = DuckDBFunctions(DigestMetadata())
    query = Query(functions)
    requests = captured_requests(ibis.table(LINES, "lines"), query, session)
    return query.sql(digest_rows(requests, functions))


def _line_limit(connection: Any) -> int:
    """Bytes of the longest line that is read: DuckDB holds it several times."""
    ((held,),) = connection.execute("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()
    return int(min(LINE_LIMIT_BYTES, held // _COPIES))


_COPIES = 16


def _count(connection: Any, counts: Rejects) -> None:
    """Count the lines that are no request, and note those whose text is unknown."""
    cursor = connection.execute(
        "SELECT source, line, reject FROM checked"
        " WHERE reject <> '' OR (reject IS NULL AND text_characters IS NULL) ORDER BY position"
    )
    while found := cursor.fetchmany(1_000):
        for source, line, reason in found:
            if reason is None:
                counts.note(source, line, "the body has no text that could be told")
            else:
                counts.reject(source, line, reason)
