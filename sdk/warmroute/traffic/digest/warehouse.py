"""A digest of captured traffic that Athena or Trino makes: a query to run there, and its result taken home."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from warmroute.traffic.digest.capture import LINES, captured_requests, checked_session
from warmroute.traffic.digest.capture_files import making
from warmroute.traffic.digest.engines.athena import AthenaFunctions
from warmroute.traffic.digest.engines.duckdb_rows import load_rows
from warmroute.traffic.digest.engines.query import Query
from warmroute.traffic.digest.engines.trino import TrinoFunctions
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.metadata import DigestMetadata, checked_ladder
from warmroute.traffic.digest.rows import digest_rows

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.traffic.entries.rejects import Rejects

Warehouse = Literal["athena", "trino"]


def rows_query(warehouse: Warehouse, table: str, metadata: DigestMetadata | None = None, *, session: str = "") -> str:
    """The query whose result ``digest_rows_folder`` turns into a digest, once it is in Parquet files.

    On Athena, run ``UNLOAD (query) TO 's3://bucket/folder/' WITH (format = 'PARQUET')``.

    Args:
        warehouse: Where it runs.
        table: A table there with one column of text, ``data``: a line of a captured file each.
        metadata: Tells the ladder and the length of chunks.
        session: The field of a call that names its session, if the application sends one.

    Raises:
        DigestError: The warehouse, the table's name, the ladder or the field is none.
    """
    import ibis

    metadata = metadata or DigestMetadata()
    checked_ladder(metadata.ladder)
    checked_session(session)
    if warehouse not in _FUNCTIONS:
        raise DigestError(f"There is no warehouse {warehouse}.", f"Use {' or '.join(_FUNCTIONS)}.")
    if not re.fullmatch(r"\w+(\.\w+){0,2}", table):
        raise DigestError(f"{table} is no name of a table.", "Give one such as captures.lines.")
    functions = _FUNCTIONS[warehouse](metadata)
    query = Query(functions)
    query.given(
        "lines",
        'SELECT "$path" AS source, CAST(NULL AS BIGINT) AS line, data, CAST(NULL AS VARCHAR) AS fault'  # noqa: S608
        f" FROM {table}",
    )
    return query.sql(digest_rows(captured_requests(ibis.table(LINES, "lines"), query, session), functions))


def digest_rows_folder(
    folder: str,
    path: str | Path,
    metadata: DigestMetadata | None = None,
    *,
    rejects: Rejects | None = None,
    memory_limit: str | None = None,
) -> None:
    """Make a digest of the result of ``rows_query``.

    A warehouse does not tell the lines of a file: where a time is told to the second, rows of the same second are in
    the order of their files and ids.

    Args:
        folder: The folder of Parquet files that it was put into.
        path: The file to write; one that is there is replaced when the new one is complete.
        metadata: What the query was made with, and the sampling percentage.
        rejects: Counts the lines that are no request.
        memory_limit: What DuckDB may use, as "4GB"; four fifths of the machine's memory unless told.

    Raises:
        DigestError: The files cannot be read, hold no request, or the file cannot be written.
        TrafficError: No such folder.
        MissingExtraError: The extra ``analysis`` is not installed.
    """
    with making(folder, path, metadata, "", rejects, memory_limit) as made:
        load_rows(made.connection, folder, [])


_FUNCTIONS = {"athena": AthenaFunctions, "trino": TrinoFunctions}
