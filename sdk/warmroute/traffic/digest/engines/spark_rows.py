"""Captured lines as rows, made by Spark and left in a folder of Parquet files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from warmroute.errors import MissingExtraError
from warmroute.traffic.digest.capture import LINES, captured_requests
from warmroute.traffic.digest.engines.query import Query
from warmroute.traffic.digest.engines.spark import SparkFunctions
from warmroute.traffic.digest.rows import digest_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.traffic.digest.metadata import DigestMetadata


def write_rows(sources: Sequence[str], folder: str, metadata: DigestMetadata, session: str, spark: Any = None) -> None:
    """Make rows of captured files.

    Args:
        sources: The files, as Spark and this machine can read them.
        folder: Where to write, as Spark and this machine can.
        metadata: Tells the ladder and the length of chunks.
        session: The field of a call that names its session, or nothing.
        spark: A session of Spark; the one that is there, or a new one, if not given.

    Raises:
        MissingExtraError: Spark is not installed.
    """
    try:
        import ibis
        from pyspark.sql import SparkSession

        ibis.pyspark  # noqa: B018 - Ibis writes Spark's SQL only once it has seen Spark.
    except (ImportError, AttributeError) as error:
        raise MissingExtraError("A digest on Spark", "spark") from error
    spark = spark or SparkSession.builder.appName("warmroute digest").getOrCreate()
    spark.read.text([_path(source) for source in sources]).selectExpr(
        "_metadata.file_path AS source",
        "monotonically_increasing_id() AS line",
        "try_validate_utf8(value) AS data",
        "CASE WHEN NOT is_valid_utf8(value) THEN 'not UTF-8' END AS fault",
    ).createOrReplaceTempView("lines")
    functions = SparkFunctions(metadata)
    query = Query(functions)
    requests = captured_requests(ibis.table(LINES, "lines"), query, session)
    spark.sql(query.sql(digest_rows(requests, functions))).write.parquet(folder)


def source_of(uri: str, sources: Sequence[str]) -> str:
    """The source that Spark calls by a URI."""
    path = _PLACE.sub("", unquote(uri))
    return next((source for source in sources if _PLACE.sub("", _absolute(source)) == path), uri)


_PLACE = re.compile(r"^(file:/*(?=/)|s3[an]?://)")


def _absolute(source: str) -> str:
    return source if "://" in source else str(Path(source).absolute())


def _path(source: str) -> str:
    """A source as Spark takes it: by itself, not as a pattern."""
    return re.sub(r"([][*?{}\\])", r"\\\1", _absolute(source))
