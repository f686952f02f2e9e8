"""The queries for Athena and Trino are sentences of their grammar, and their results become digests."""

from __future__ import annotations

import pyarrow as pa
import pytest
import sqlglot
from pyarrow import parquet
from traffic.digest.plain_digest import SHORT
from traffic.digest.test_capture import GOOD

from warmroute.traffic.digest.capture_files import digest_capture
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.digest.table import read_digest
from warmroute.traffic.digest.warehouse import digest_rows_folder, rows_query

SQLGLOT_HAS_NO_NAME_FOR = {"FROM_BIG_ENDIAN_64"}
"""A function that Trino documents."""


@pytest.mark.parametrize("warehouse", ["athena", "trino"])
@pytest.mark.parametrize("session", ["", "inferenceId", "customAttributes"])
def test_queries_are_of_the_grammar(warehouse, session):
    query = rows_query(warehouse, "captures.lines", SHORT, session=session)
    unloaded = (
        f"UNLOAD ({query}) TO 's3://bucket/folder/' WITH (format = 'PARQUET')" if warehouse == "athena" else query
    )
    trees = sqlglot.parse(query, dialect=warehouse, error_level=sqlglot.ErrorLevel.RAISE)
    (tree,) = trees
    assert isinstance(tree, sqlglot.exp.Select)
    assert sqlglot.parse_one(unloaded, dialect=warehouse)
    unknown = {node.name.upper() for node in tree.find_all(sqlglot.exp.Anonymous)}
    assert unknown <= SQLGLOT_HAS_NO_NAME_FOR
    assert "digest_" not in query
    assert not list(tree.find_all(sqlglot.exp.Command))


def test_a_query_takes_keys_at_each_length_of_the_ladder():
    query = rows_query("trino", "lines", DigestMetadata(ladder=(77, 1_234)))
    assert all(f", {length})" in query for length in (77, 1_234))


def test_a_folder_of_rows_becomes_a_digest(tmp_path):
    """The rows are those that DuckDB makes, as a warehouse would leave them."""
    calls = [GOOD.replace(b"ab", text) for text in (b"one", b"two", b"three")]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([*calls, b"{"]))
    digest_capture(tmp_path / "a.jsonl", tmp_path / "expected")
    folder = tmp_path / "rows"
    folder.mkdir()
    made = parquet.read_table(tmp_path / "expected")
    made = made.add_column(0, "reject", pa.array([None, None, "not JSON"], pa.string()))
    made = made.add_column(0, "line", pa.nulls(3, pa.int64())).add_column(0, "source", pa.array(["s3://a"] * 3))
    parquet.write_table(made, folder / "part.parquet")
    digest_rows_folder(str(folder), tmp_path / "table.parquet")
    table = read_digest(tmp_path / "table.parquet")
    assert table.metadata.rejects == {"not JSON": 1}
    expected = parquet.read_table(tmp_path / "expected").slice(0, 2)
    assert parquet.read_table(tmp_path / "table.parquet").equals(expected)


@pytest.mark.parametrize(
    ("warehouse", "table", "session", "message"),
    [
        ("redshift", "lines", "", "There is no warehouse redshift"),
        ("athena", "lines; DROP TABLE lines", "", "no name of a table"),
        ("athena", "lines", "eventId", "eventId is no field for the session"),
    ],
)
def test_what_is_wrong_is_told(warehouse, table, session, message):
    with pytest.raises(DigestError, match=message):
        rows_query(warehouse, table, session=session)
