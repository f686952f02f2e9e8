"""A digest of captured files has a row for each request, as the law says, and counts every other line."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from traffic.digest.captures import lines
from traffic.digest.plain_digest import SHORT, captured, in_order, row, without_repeated

from warmroute.traffic import Rejects, TrafficError
from warmroute.traffic.digest.capture_files import digest_capture
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.table import read_digest
from warmroute.traffic.record import TrafficRequest

GOOD = orjson.dumps({"captureData": {"endpointInput": {"data": '{"prompt": "ab"}', "encoding": "JSON"}}})


class Told(Rejects):
    """Rejects, each with its line."""

    def __init__(self) -> None:
        super().__init__()
        self.cases: list[tuple[str, int, str]] = []

    def reject(self, source: str, line: int, reason: str) -> None:
        super().reject(source, line, reason)
        self.cases.append((source, line, reason))


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(lines, max_size=40), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["", "inferenceId", "customAttributes"]),
)
def test_rows_and_rejects_are_what_the_law_says(tmp_path_factory, files, is_packed, session):
    folder = tmp_path_factory.mktemp("capture")
    places: list[tuple[str, int]] = []
    read: list[TrafficRequest | str] = []
    for position, content in enumerate([*each, GOOD] for each in files):
        file = folder / f"{position}.jsonl{'.gz' if is_packed else ''}"
        data = b"\n".join(content) + b"\n" * (position % 2)
        file.write_bytes(gzip.compress(data) if is_packed else data)
        places += [(str(file), number) for number in range(1, len(content) + 1)]
        read += [captured(str(file), number, line, session) for number, line in enumerate(content, 1)]
    read = without_repeated(read)
    told = Told()
    digest_capture(folder, folder / "table.parquet", SHORT, session=session, rejects=told)
    requests = in_order([found for found in read if not isinstance(found, str)])
    assert parquet.read_table(folder / "table.parquet").to_pylist() == [row(request) for request in requests]
    assert told.cases == [
        (*place, found) for place, found in zip(places, read, strict=True) if isinstance(found, str) and found
    ]
    assert told.noted.total() == sum(request.text is None for request in requests)
    assert read_digest(folder / "table.parquet").metadata == replace(
        SHORT, rejects=dict(told.rejected), sources=(str(folder),)
    )


def test_a_line_longer_than_the_limit_is_a_reject(tmp_path):
    long = GOOD.replace(b"ab", b"a" * (1 << 22))
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([GOOD, b"", long, long, GOOD, b"{"]))
    told = Told()
    digest_capture(tmp_path / "a.jsonl", tmp_path / "table.parquet", memory_limit="32MB", rejects=told)
    file = str(tmp_path / "a.jsonl")
    assert told.cases == [
        (file, 3, "longer than the limit"),
        (file, 4, "longer than the limit"),
        (file, 6, "not JSON"),
    ]
    assert read_digest(tmp_path / "table.parquet").column("request").to_pylist() == [f"{file}:1", f"{file}:5"]


def test_order_within_a_second_is_that_of_files_and_lines(tmp_path):
    for name in "ab":
        calls = (
            json.dumps({**orjson.loads(GOOD), "eventMetadata": {"inferenceTime": f"2026-01-01T00:00:0{line % 2}Z"}})
            for line in range(5_000)
        )
        (tmp_path / name).write_text("\n".join(calls))
    digest_capture([tmp_path / "b", tmp_path / "a"], tmp_path / "table.parquet")
    expected = [
        f"{tmp_path / name}:{line + 1}" for parity in (0, 1) for name in "ba" for line in range(parity, 5_000, 2)
    ]
    assert read_digest(tmp_path / "table.parquet").column("request").to_pylist() == expected


def test_no_request_at_all_is_told_with_the_reasons(tmp_path):
    (tmp_path / "a.jsonl").write_text("{\n[1]\n")
    with pytest.raises(DigestError, match=r"a\.jsonl: there is no captured request\. 1 rejected: not JSON"):
        digest_capture(tmp_path / "a.jsonl", tmp_path / "table.parquet")
    assert not (tmp_path / "table.parquet").exists()


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(TrafficError, match="nothing"):
        digest_capture(tmp_path / "nothing.jsonl", tmp_path / "table.parquet")


def test_a_file_that_ends_early_is_read_up_to_there(tmp_path):
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress((GOOD + b"\n") * 900)[:-20])
    told = Told()
    digest_capture(file, tmp_path / "table.parquet", rejects=told)
    ((source, number, reason),) = told.cases
    assert source == str(file)
    assert reason == "compressed data are damaged or cut off here; the rest is unread"
    assert len(read_digest(tmp_path / "table.parquet")) == number - 1 > 0


def test_a_quote_in_a_name_is_a_quote(tmp_path):
    (tmp_path / "it's.jsonl").write_bytes(GOOD)
    digest_capture(tmp_path / "it's.jsonl", tmp_path / "table.parquet")
    assert read_digest(tmp_path / "table.parquet").column("request").to_pylist() == [f"{tmp_path}/it's.jsonl:1"]
