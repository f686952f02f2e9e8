"""Lines of text files in DuckDB, with their numbers.

They are read as a table of one column, by the reader of CSV without quotes and separators: unlike the reader of JSON,
it keeps blank lines, so that lines can be counted, and tells which it could not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.digest.engines.spark_rows import source_of
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.entries import LINE_LIMIT_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence


def open_lines(connection: Any, sources: Sequence[str]) -> None:
    """Make the view ``lines`` of files, with the columns ``capture.LINES``; ``line`` is null yet."""
    if any(source.startswith("s3://") for source in sources):
        _use_credentials(connection)
    limit = _line_limit(connection)
    files = ", ".join(map(_quoted, sources))
    connection.execute(
        "CREATE TEMP VIEW lines AS"  # noqa: S608
        " SELECT source, CAST(NULL AS BIGINT) AS line, data, CAST(NULL AS VARCHAR) AS fault FROM"
        f" read_csv([{files}], columns = {{data: 'VARCHAR'}}, filename = 'source', header = false, auto_detect = false,"
        " delim = '', quote = '', escape = '', comment = '', strict_mode = false, store_rejects = true,"
        f" max_line_size = {limit}, buffer_size = {limit})"
    )


def list_broken_lines(connection: Any) -> None:
    """Make the table ``broken`` of the lines that could not be read, once all others are."""
    connection.execute(
        """
        CREATE TEMP TABLE broken AS
        SELECT DISTINCT ON (source, line) file_path AS source, CAST(line AS BIGINT) AS line, CASE error_type
            WHEN 'INVALID ENCODING' THEN 'not UTF-8'
            WHEN 'LINE SIZE OVER MAXIMUM' THEN 'longer than the limit of lines'
            ELSE lower(error_type) END AS reject
        FROM reject_errors JOIN reject_scans USING (scan_id, file_id)
        """
    )


def load_rows(connection: Any, folder: str, sources: Sequence[str]) -> None:
    """Make the table ``digest`` of rows that another engine left in a folder, and an empty table ``broken``.

    Args:
        connection: To DuckDB.
        folder: The folder of Parquet files.
        sources: What the rows' sources are called, in order.
    """
    if folder.startswith("s3://"):
        _use_credentials(connection)
    files = f"read_parquet({_quoted(folder.rstrip('/') + '/*.parquet')})"
    told = connection.execute(f"SELECT DISTINCT source FROM {files}").fetchall()  # noqa: S608
    names = [(uri, source_of(uri, sources)) for (uri,) in told]
    places = [(uri, name, sources.index(name) if name in sources else len(sources)) for uri, name in names]
    connection.execute("CREATE TEMP TABLE broken (source VARCHAR, line BIGINT, reject VARCHAR)")
    connection.execute("CREATE TEMP TABLE places (uri VARCHAR, name VARCHAR, place BIGINT)")
    connection.executemany("INSERT INTO places VALUES (?, ?, ?)", places)
    connection.execute(
        "CREATE TEMP TABLE digest AS SELECT made.* REPLACE (name AS source)"  # noqa: S608
        f" FROM {files} AS made JOIN places ON made.source = uri ORDER BY place, name, made.line, request"
    )


def number_lines(connection: Any) -> None:
    """Make the view ``numbered`` of the tables ``digest`` and ``broken``: with ``position`` and the lines' numbers.

    A row's line is its position in its file, and as many lines further as could not be read before it.
    """
    connection.execute(
        """
        CREATE TEMP TABLE shifts AS
        SELECT source, line - nth + 1 AS ordinal, max(nth) AS shift
        FROM (SELECT source, line, row_number() OVER (PARTITION BY source ORDER BY line) AS nth FROM broken)
        GROUP BY ALL;
        CREATE TEMP TABLE begins AS SELECT source, min(rowid) AS begin FROM digest GROUP BY source;
        CREATE TEMP TABLE repeated AS SELECT position FROM (
            SELECT rowid AS position, row_number() OVER (PARTITION BY request ORDER BY rowid) AS nth
            FROM digest WHERE reject IS NULL AND request <> ''
        ) WHERE nth > 1;
        CREATE TEMP VIEW numbered AS
        SELECT * REPLACE (
            coalesce(nullif(request, ''), source || ':' || line) AS request,
            CASE WHEN position IN (FROM repeated) THEN 'an id met before' ELSE reject END AS reject
        ) FROM (
            SELECT placed.* REPLACE (placed.ordinal + coalesce(shifts.shift, 0) AS line)
            FROM (
                SELECT digest.*, digest.rowid AS position, digest.rowid - begin + 1 AS ordinal
                FROM digest JOIN begins USING (source)
            ) AS placed
            ASOF LEFT JOIN shifts ON placed.source = shifts.source AND placed.ordinal >= shifts.ordinal
        );
        """
    )


def _line_limit(connection: Any) -> int:
    """Bytes of the longest line: each thread holds a few buffers of it."""
    ((held,),) = connection.execute("SELECT parse_formatted_bytes(current_setting('memory_limit'))").fetchall()
    return int(max(_SHORTEST_LIMIT, min(LINE_LIMIT_BYTES, held // 8)))


_SHORTEST_LIMIT = 1 << 21
"""DuckDB's own."""


def _use_credentials(connection: Any) -> None:
    """Let DuckDB read S3, with the credentials that boto3 finds.

    Raises:
        DigestError: DuckDB's extension cannot be installed, or there are no credentials.
    """
    import boto3
    import duckdb

    try:
        connection.execute("INSTALL httpfs; LOAD httpfs")
    except (duckdb.IOException, duckdb.HTTPException):
        raise DigestError(
            "DuckDB reads S3 with its extension httpfs, which cannot be installed.",
            "Allow access to extensions.duckdb.org, or copy the files to this machine.",
        ) from None
    session = boto3.Session()
    credentials = session.get_credentials()
    if credentials is None:
        raise DigestError("There are no AWS credentials.", "Sign in, as for the AWS command line.")
    frozen = credentials.get_frozen_credentials()
    told = {
        "KEY_ID": frozen.access_key,
        "SECRET": frozen.secret_key,
        "SESSION_TOKEN": frozen.token,
        "REGION": session.region_name,
    }
    settings = ", ".join(f"{name} {_quoted(value)}" for name, value in told.items() if value)
    connection.execute(f"CREATE SECRET (TYPE s3, {settings})")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
