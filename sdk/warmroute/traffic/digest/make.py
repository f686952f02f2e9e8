"""Makes a digest of requests of any source, on DuckDB."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from warmroute.traffic.digest.engines.duckdb import DuckDBFunctions, register
from warmroute.traffic.digest.engines.duckdb_session import batches_as, duckdb_session
from warmroute.traffic.digest.engines.query import Query
from warmroute.traffic.digest.metadata import DigestMetadata, checked_ladder
from warmroute.traffic.digest.requests import answer_tokens, request_batches, request_columns
from warmroute.traffic.digest.rows import digest_rows
from warmroute.traffic.digest.write import write_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warmroute.traffic.record import TrafficRequest


def digest_requests(
    requests: Iterable[TrafficRequest],
    path: str | Path,
    metadata: DigestMetadata | None = None,
    *,
    memory_limit: str | None = None,
) -> None:
    """Make a digest of requests, reading them once and holding few of them at a time.

    Args:
        requests: As a reader of traffic gives them.
        path: The file to write; one that is there is replaced when the new one is complete.
        metadata: Ladder, length of chunks, and what the file shall tell of its sources; its counts of rejects are read
            after the last request.
        memory_limit: What DuckDB may use, as "4GB"; four fifths of the machine's memory unless told.

    Raises:
        DigestError: The ladder is none, or the file cannot be written.
        MissingExtraError: The extra ``analysis`` is not installed.
        WarmrouteError: Whatever reading the requests raises.
    """
    metadata, path = metadata or DigestMetadata(), Path(path)
    checked_ladder(metadata.ladder)
    by_characters = 0

    def counted() -> Iterator[TrafficRequest]:
        nonlocal by_characters
        for request in requests:
            by_characters += request.output_tokens is None and answer_tokens(request) is not None
            yield request

    with duckdb_session(path.parent, memory_limit) as connection:
        register(connection, metadata)
        with batches_as(connection, "requests", request_columns(), request_batches(counted())):
            connection.execute(f"CREATE TEMP TABLE digest AS {_rows_of_requests()}")
        metadata = replace(metadata, answers_by_characters=by_characters)
        write_digest(connection, "digest", "rowid", path, metadata)


@cache
def _rows_of_requests() -> str:
    import ibis

    functions = DuckDBFunctions(DigestMetadata())
    return Query(functions).sql(digest_rows(ibis.table(request_columns(), "requests"), functions))
