"""Rows in DuckDB, until they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.digest.engines.spark_rows import source_of
from warmroute.traffic.digest.errors import DigestError

if TYPE_CHECKING:
    from collections.abc import Sequence


def load_rows(connection: Any, folder: str, sources: Sequence[str]) -> None:
    """Make the table ``digest`` of rows that another engine left in a folder.

    Args:
        connection: To DuckDB.
        folder: The folder of Parquet files.
        sources: What the rows' sources are called, in order; others follow by their names.

    Raises:
        DigestError: The folder is in S3, and DuckDB cannot read that.
    """
    if folder.startswith("s3://"):
        _use_credentials(connection)
    files = f"read_parquet({_quoted(folder.rstrip('/') + '/*.parquet')})"
    told = connection.execute(f"SELECT DISTINCT source FROM {files}").fetchall()  # noqa: S608
    names = [(uri, source_of(uri, sources)) for (uri,) in told]
    places = [(uri, name, sources.index(name) if name in sources else len(sources)) for uri, name in names]
    connection.execute("CREATE TEMP TABLE places (uri VARCHAR, name VARCHAR, place BIGINT)")
    connection.executemany("INSERT INTO places VALUES (?, ?, ?)", places)
    connection.execute(
        "CREATE TEMP TABLE digest AS SELECT made.* REPLACE (name AS source, row_number() OVER in_source AS line)"  # noqa: S608
        f" FROM {files} AS made JOIN places ON made.source = uri"
        " WINDOW in_source AS (PARTITION BY place, name ORDER BY made.line, request) ORDER BY place, name, line"
    )


def check_rows(connection: Any) -> None:
    """Make the view ``checked`` of the table ``digest``: with ``position``, and ids for all rows, each met once."""
    connection.execute(
        """
        CREATE TEMP TABLE repeated AS SELECT position FROM (
            SELECT rowid AS position, row_number() OVER (PARTITION BY request ORDER BY rowid) AS nth
            FROM digest WHERE reject IS NULL AND request <> ''
        ) WHERE nth > 1;
        CREATE TEMP VIEW checked AS SELECT * REPLACE (
            coalesce(nullif(request, ''), source || ':' || line) AS request,
            CASE WHEN rowid IN (FROM repeated) THEN 'an id met before' ELSE reject END AS reject
        ), rowid AS position FROM digest;
        """
    )


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
