"""Rows that a cluster left in a folder: whose they are, and in which order they are written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.traffic.digest.engines.duckdb_rows import check_rows, load_rows
from warmroute.traffic.digest.engines.spark_rows import source_of
from warmroute.traffic.digest.errors import DigestError

paths = st.lists(st.text("ab %é'", min_size=1, max_size=5), min_size=1, max_size=3).map("/".join)


@given(paths, st.sampled_from(["s3", "s3a", "s3n"]))
def test_a_source_is_found_by_what_spark_calls_it(path, scheme):
    file, in_s3 = f"/captured/{path}", f"s3://bucket/{path}"

    assert source_of(f"file://{quote(file)}", [in_s3, file]) == file
    assert source_of(f"{scheme}://bucket/{quote(path)}", [file, in_s3]) == in_s3
    assert source_of("file:///else/where", [file, in_s3]) == "file:///else/where"


def test_a_relative_source_is_found_by_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert source_of((tmp_path / "a.jsonl").as_uri(), ["b.jsonl", "a.jsonl"]) == "a.jsonl"


@pytest.fixture
def rows(tmp_path):
    """A folder with the rows of two files, in any order, with numbers that only grow within a file."""
    folder = tmp_path / "it's rows"
    folder.mkdir()
    first, second = (Path(f"/captured/{name}").as_uri() for name in ("first.jsonl", "second.jsonl"))
    parts = [
        [(second, 8_589_934_592, "c", None), (first, 3, "b", None)],
        [(first, 1, "a", None), (first, 7, "a", None), (second, 8_589_934_599, "", "no JSON")],
    ]
    for number, part in enumerate(parts):
        columns = dict(zip(("source", "line", "request", "reject"), zip(*part, strict=True), strict=True))
        types = {"source": pa.string(), "line": pa.int64(), "request": pa.string(), "reject": pa.string()}
        arrays = {name: pa.array(values, types[name]) for name, values in columns.items()}
        pq.write_table(pa.table(arrays), folder / f"part-{number}.parquet")
    return str(folder)


def test_rows_are_in_the_order_of_the_sources_and_numbered_within_each(rows):
    with duckdb.connect() as connection:
        load_rows(connection, rows + "/", ["/captured/second.jsonl", "/captured/first.jsonl"])
        check_rows(connection)
        found = connection.execute("SELECT source, line, request, reject FROM checked ORDER BY position").fetchall()

    assert found == [
        ("/captured/second.jsonl", 1, "c", None),
        ("/captured/second.jsonl", 2, "/captured/second.jsonl:2", "no JSON"),
        ("/captured/first.jsonl", 1, "a", None),
        ("/captured/first.jsonl", 2, "b", None),
        ("/captured/first.jsonl", 3, "a", "an id met before"),
    ]


class Connection:
    """DuckDB as it is told to read S3."""

    def __init__(self, refusal=None):
        self.refusal, self.told = refusal, []

    def execute(self, statement):
        self.told.append(statement)
        if self.refusal:
            raise self.refusal
        return SimpleNamespace(fetchall=list)

    def executemany(self, statement, values):
        self.told.append(statement)


def test_rows_in_s3_are_read_with_the_credentials_of_boto3(monkeypatch):
    for name, value in (("ACCESS_KEY_ID", "KEY"), ("SECRET_ACCESS_KEY", "it's"), ("DEFAULT_REGION", "eu-west-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    connection = Connection()

    load_rows(connection, "s3://bucket/rows", [])

    assert connection.told[:2] == [
        "INSTALL httpfs; LOAD httpfs",
        "CREATE SECRET (TYPE s3, KEY_ID 'KEY', SECRET 'it''s', REGION 'eu-west-1')",
    ]


def test_what_keeps_rows_in_s3_from_being_read_is_told(monkeypatch):
    with pytest.raises(
        DigestError, match=r"httpfs, which cannot be installed\. Allow access to extensions\.duckdb\.org"
    ):
        load_rows(Connection(duckdb.IOException("offline")), "s3://bucket/rows", [])

    monkeypatch.setattr("boto3.Session.get_credentials", lambda _: None)
    with pytest.raises(DigestError, match="There are no AWS credentials"):
        load_rows(Connection(), "s3://bucket/rows", [])
