"""A digest is read as it was written, and anything else is refused with what to do."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from traffic.digest.plain_digest import SHORT, hashed, in_order, row

from warmroute.errors import MissingExtraError, WarmrouteError
from warmroute.traffic.digest.columns import LADDER, schema
from warmroute.traffic.digest.engines.duckdb_session import duckdb_session
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.make import digest_requests
from warmroute.traffic.digest.metadata import KEY, DigestMetadata
from warmroute.traffic.digest.table import read_digest
from warmroute.traffic.record import TrafficRequest

characters = st.characters(codec="utf-8") | st.sampled_from("\0\n\u0301\U0001f600\U0010ffffaé")
texts = st.text(characters, max_size=12)
requests = st.builds(
    TrafficRequest,
    source=st.sampled_from(["a", "b"]),
    line=st.integers(1, 2**40),
    request_id=texts,
    arrival_seconds=st.none() | st.sampled_from([0.0, 1.5, 1e9]),
    session=texts,
    turn=st.none() | st.integers(0, 9),
    api=st.sampled_from([None, "invoke", "openai"]),
    body=st.none() | st.binary(max_size=12),
    text=st.none() | texts,
    prompt_root=texts,
    prefix_aware_id=texts,
    adapter=texts,
    input_tokens=st.none() | st.integers(0, 2**40),
    output_tokens=st.none() | st.integers(0, 2**40),
    block_hashes=st.lists(st.integers(-(2**63), 2**64 - 1), max_size=3).map(tuple),
    block_tokens=st.sampled_from([16, 512]),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(requests, max_size=20))
def test_rows_are_what_the_law_says_in_order_of_arrival(tmp_path_factory, given_requests):
    file = tmp_path_factory.mktemp("digest") / "table.parquet"
    digest_requests(given_requests, file, SHORT)
    assert parquet.read_table(file).to_pylist() == [row(request) for request in in_order(given_requests)]
    assert [each.name for each in file.parent.iterdir()] == ["table.parquet"]


@settings(max_examples=10, deadline=None)
@given(st.lists(requests, max_size=20), st.sampled_from(SHORT.ladder))
def test_keys_are_equal_where_window_and_id_are(tmp_path_factory, given_requests, length):
    file = tmp_path_factory.mktemp("digest") / "table.parquet"
    digest_requests(given_requests, file, SHORT)
    table = read_digest(file)
    ordered = in_order(given_requests)
    for api, wholes in (("invoke", [one.body for one in ordered]), ("openai", [one.text for one in ordered])):
        found = table.keys(api, length)
        assert found.is_known.tolist() == [whole is not None for whole in wholes]
        assert found.fills.tolist() == [whole is not None and len(whole) >= length for whole in wholes]
        pairs = [
            (whole[:length], one.prefix_aware_id)
            for whole, one in zip(wholes, ordered, strict=True)
            if whole is not None
        ]
        keys = found.keys[found.is_known].tolist()
        assert all(
            (key == other) == (pair == another)
            for key, pair in zip(keys, pairs, strict=True)
            for other, another in zip(keys, pairs, strict=True)
        )
        assert not found.keys[~found.is_known].any()


def test_a_damaged_page_is_one_message_with_the_file(tmp_path):
    file = tmp_path / "table.parquet"
    digest_requests([TrafficRequest(source="a", line=line, text=str(line) * 99) for line in range(1, 500)], file)
    data = bytearray(file.read_bytes())
    pages = slice(4, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))  # All but the footer.
    data[pages] = bytes(len(data[pages]))
    file.write_bytes(data)
    table = read_digest(file)
    for read in (lambda: table.column("request"), lambda: list(table.batches(["request"]))):
        with pytest.raises(DigestError, match=r"table\.parquet: the file is damaged\. Make the digest again\."):
            read()


def test_an_answer_told_in_characters_is_four_to_a_token_and_counted(tmp_path):
    answers = [(None, 41), (7, 400), (None, None), (None, 0)]
    many = [
        TrafficRequest(source="a", line=line, text="x", output_tokens=tokens, output_characters=characters)
        for line, (tokens, characters) in enumerate(answers, 1)
    ]
    digest_requests(many, tmp_path / "table.parquet")
    table = read_digest(tmp_path / "table.parquet")
    assert table.column("output_tokens").to_pylist() == [11, 7, None, 1]
    assert table.metadata.answers_by_characters == 2


def test_columns_and_metadata_come_back(tmp_path):
    file = tmp_path / "table.parquet"
    metadata = replace(SHORT, rejects={"not JSON": 3}, sampling_percentage=50.0, sources=("a", "b"))
    many = [
        TrafficRequest(source="a", line=line, arrival_seconds=None if line % 2 else 7.0, text="é" * (line % 5))
        for line in range(1, 70_001)
    ]
    digest_requests(many, file, metadata)
    table = read_digest(str(file))
    assert table.metadata == metadata
    assert len(table) == 70_000
    arrivals = table.numbers("arrival_seconds")
    assert (arrivals[:35_000] == 7.0).all()
    assert np.isnan(arrivals[35_000:]).all()
    assert table.column("request").to_pylist() == [f"a:{line}" for line in (*range(2, 70_001, 2), *range(1, 70_001, 2))]
    chunks = table.chunks()
    lengths = table.numbers("text_characters") // 2
    assert (np.diff(chunks.offsets) == lengths).all()
    assert set(chunks.values.tolist()) == {hashed("éé")}
    assert sum(len(batch) for batch in table.batches(["turn"])) == 70_000


def test_no_requests_make_an_empty_digest(tmp_path):
    digest_requests([], tmp_path / "table.parquet")
    table = read_digest(tmp_path / "table.parquet")
    assert len(table) == 0
    assert table.metadata.ladder == LADDER
    assert len(table.keys("invoke", 1_024).keys) == 0
    assert table.chunks().offsets.tolist() == [0]
    assert table.numbers("turn").tolist() == []


def test_a_lone_surrogate_makes_a_text_unknown(tmp_path):
    request = TrafficRequest(source="a", line=1, text="a\ud800", session="\ud800", body=b"{}")
    digest_requests([request], tmp_path / "table.parquet")
    (found,) = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert found["text_keys"] is found["text_characters"] is found["chunks"] is None
    assert found["session"] == hashed("\\ud800")


def test_what_a_reader_refuses_is_told_and_leaves_the_old_digest(tmp_path):
    def broken():
        yield TrafficRequest(source="a", line=1, text="a")
        raise WarmrouteError("The file ends early.", "Copy it again.")

    file = tmp_path / "table.parquet"
    file.write_bytes(b"old")
    with pytest.raises(WarmrouteError, match=r"The file ends early\. Copy it again\."):
        digest_requests(broken(), file)
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("ladder", [(), (0,), (2, 2), (3, 1), (1.5,), tuple(range(1, 66)), (True,)])
def test_a_ladder_that_is_none_is_refused(tmp_path, ladder):
    with pytest.raises(DigestError, match="Give 1 to 64 positive whole numbers"):
        digest_requests([], tmp_path / "table.parquet", DigestMetadata(ladder=ladder))


def test_keys_at_another_length_are_refused(tmp_path):
    digest_requests([], tmp_path / "table.parquet", SHORT)
    with pytest.raises(DigestError, match=r"prefix length of 4\. Its ladder is 1, 3, 5, 9;"):
        read_digest(tmp_path / "table.parquet").keys("invoke", 4)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DigestError, match="nowhere"):
        digest_requests([], tmp_path / "nowhere" / "table.parquet")


def test_a_limit_that_is_none_is_told(tmp_path):
    with pytest.raises(DigestError, match="lots"):
        digest_requests([], tmp_path / "table.parquet", memory_limit="lots")


def other_columns(metadata: bytes | None) -> pa.Table:
    return pa.table({"a": [1]}).replace_schema_metadata({KEY: metadata} if metadata is not None else None)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (other_columns(None), "is no digest"),
        (other_columns(b"{"), "metadata are damaged"),
        (other_columns(b"[]"), "metadata are damaged"),
        (other_columns(b'{"version": 1}'), "metadata are damaged"),
        (other_columns(b'{"version": 2}'), "a digest of version 2; this release of warmroute reads version 1"),
        (other_columns(DigestMetadata().as_json()), "other columns than it should"),
    ],
)
def test_other_parquet_files_are_refused(tmp_path, table, message):
    parquet.write_table(table, tmp_path / "table.parquet")
    with pytest.raises(DigestError, match=message):
        read_digest(tmp_path / "table.parquet")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("text")
    with pytest.raises(DigestError, match="no Parquet file"):
        read_digest(tmp_path / "text")
    with pytest.raises(DigestError, match="cannot be opened"):
        read_digest(tmp_path / "nothing")


def test_without_the_extra_its_name_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[analysis\]"):
        read_digest(tmp_path / "table.parquet")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[analysis\]"):
        digest_requests([], tmp_path / "table.parquet")


def test_the_schema_has_no_column_that_holds_a_text():
    assert [column.name for column in schema() if column.type == pa.string()] == ["request", "api"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "SELECT count(*) FROM 'none.parquet'",
            r"Reading failed: .*none\.parquet.*\. Check that file, or leave it out\.",
        ),
        ("SELECT 'a secret prompt'::INTEGER", r"^DuckDB failed with a ConversionException\. Please report it\.$"),
        (
            "SELECT count(DISTINCT n::VARCHAR || repeat('x', 100)) FROM range(2000000) AS many(n)",
            r"DuckDB needs more memory than its limit of 10MB\. Allow more with --memory-limit\.",
        ),
    ],
)
def test_what_duckdb_cannot_do_is_one_message_without_what_it_read(tmp_path, statement, message):
    def ask():
        with duckdb_session(tmp_path, "10MB") as connection:
            connection.execute("SET max_temp_directory_size = '1MB'")
            connection.execute(statement).fetchall()

    with pytest.raises(DigestError, match=message):
        ask()


def test_a_folder_that_takes_no_temporary_files_is_told(tmp_path):
    with pytest.raises(DigestError, match=r"temporary files cannot be written: No such file"):
        duckdb_session(tmp_path / "none").__enter__()
