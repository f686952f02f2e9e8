"""Names stand for files, and files are read whatever they are compressed with."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
import tracemalloc

import boto3
import pytest
import zstandard
from moto import mock_aws
from traffic.recorded import lines_of

from warmroute.traffic import Rejects, TrafficError, read_traffic
from warmroute.traffic.digest.capture_files import digest_capture
from warmroute.traffic.digest.table import read_digest
from warmroute.traffic.sources.named import find_sources, refuse_sources
from warmroute.traffic.sources.streams import decompressed

LINE = b'{"prompt": "%d"}\n'


def names(*given):
    return [source.name for source in find_sources(list(given))]


def test_directories_patterns_and_files_each_once_in_order(tmp_path):
    for path in ("b/2.jsonl", "b/1.jsonl", "a.jsonl", "b/.hidden/3.jsonl", "_SUCCESS", "c/d/4.jsonl"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(LINE % 1)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    found = [str(tmp_path / path) for path in ("b/1.jsonl", "b/2.jsonl", "a.jsonl", "c/d/4.jsonl")]
    assert names(tmp_path / "b", tmp_path) == found
    assert names(f"{tmp_path}/b/*.jsonl") == found[:2]
    assert names(f"{tmp_path}/**/4.jsonl") == found[3:]
    assert names(tmp_path / "a.jsonl", str(tmp_path / "a.jsonl")) == found[2:3]


def test_a_name_that_holds_a_bracket_is_itself_first(tmp_path):
    (tmp_path / "a[1].jsonl").write_bytes(LINE % 1)
    assert names(f"{tmp_path}/a[1].jsonl") == [f"{tmp_path}/a[1].jsonl"]


@pytest.mark.parametrize("name", ["none.jsonl", "none-*.jsonl", "", "a\0b", "x" * 5_000])
def test_a_name_of_nothing_is_an_error(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrafficError):
        list(read_traffic(name))


def test_no_names_are_an_error():
    with pytest.raises(TrafficError, match="No traffic is named"):
        find_sources([])


@pytest.mark.parametrize(
    ("name", "shown"), [("\udcff", r"\udcff"), ("a\nb", r"a\nb"), ("\x1b[31m", r"\x1b[31m"), ("é", "é")]
)
def test_a_file_may_have_any_name_and_is_told_by_one_that_can_be_printed(tmp_path, name, shown):
    file = tmp_path / name
    file.write_bytes(lines_of({"captureData": {"endpointInput": {"data": '{"prompt": "fine"}'}}}) + b"{\n")
    (request,) = read_traffic(tmp_path, rejects=tmp_path / "_rejects")
    assert request.source == json.loads((tmp_path / "_rejects").read_bytes())["source"] == f"{tmp_path}/{shown}"
    assert [source.location for source in find_sources(tmp_path)] == [str(file)]
    digest_capture([str(file)], tmp_path / "_table")
    assert read_digest(tmp_path / "_table").metadata.sources == (f"{tmp_path}/{shown}",)
    with pytest.raises(TrafficError, match="one of the files to read"):
        refuse_sources(file, tmp_path)
    with pytest.raises(TrafficError, match=re.escape(f"{shown}-: ")):
        find_sources(f"{file}-")


def test_files_whose_names_are_told_alike_are_two(tmp_path):
    for name in ("\udcff", r"\udcff"):
        (tmp_path / name).write_bytes(LINE % 1)
    assert len(find_sources(tmp_path)) == 2


def test_a_file_that_cannot_be_opened_is_one_message(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE % 1)
    (source,) = find_sources(path)
    path.unlink()
    with pytest.raises(TrafficError, match=r"a\.jsonl: No such file"):
        source.open()


def test_a_directory_that_cannot_be_listed_is_one_message_unless_it_is_hidden(tmp_path, monkeypatch):
    scandir = os.scandir

    def refusing(path):
        if os.path.basename(path) in ("private", ".private"):  # noqa: PTH119 - as os.walk gives it.
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refusing)
    (tmp_path / "a.jsonl").write_bytes(LINE % 1)
    (tmp_path / ".private").mkdir()
    assert names(tmp_path) == [f"{tmp_path}/a.jsonl"]
    (tmp_path / "private").mkdir()
    with pytest.raises(TrafficError, match=r"private: Permission denied\. Check the path and its permissions\."):
        find_sources(tmp_path)


def test_links_that_lead_in_a_circle_are_passed_over(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINE % 1)
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "itself").symlink_to("itself")
    assert names(tmp_path) == [f"{tmp_path}/a.jsonl"]


def compress(data, kind):
    return {"gzip": gzip.compress, "zstd": zstandard.compress, "none": bytes}[kind](data)


@pytest.mark.parametrize("kind", ["gzip", "zstd", "none"])
def test_compression_is_told_by_content(tmp_path, kind):
    path = tmp_path / "traffic.txt"
    path.write_bytes(compress(LINE % 1, kind) + compress(LINE % 2, kind))  # Members and frames follow each other.
    assert [each.text for each in read_traffic(path)] == ["1", "2"]


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_damage_is_told_and_what_came_before_it_is_read(tmp_path, kind):
    whole = compress(b"".join(LINE % number for number in range(30_000)), kind)
    for cut in (len(whole) // 2, len(whole) - 1, 3):
        path = tmp_path / "cut"
        path.write_bytes(whole[:cut] if cut > 3 else whole + b"garbage")
        rejects = Rejects()
        texts = [each.text for each in read_traffic(path, rejects=rejects)]
        assert texts == [str(number) for number in range(len(texts))]
        assert len(texts) > 1_000
        assert any("damaged or cut off" in reason for reason in rejects.rejected)


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_small_file_that_stands_for_much_takes_little_memory(kind):
    packed = compress(bytes(100_000_000), kind)
    tracemalloc.start()
    try:
        stream, total = decompressed(io.BytesIO(packed)), 0
        while data := stream.read(1 << 16):
            total += len(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total == 100_000_000
    assert peak < 40 << 20


def test_standard_input_is_read_from_a_pipe(monkeypatch):
    reading, writing = os.pipe()
    os.write(writing, gzip.compress(LINE % 1))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
        assert [(each.source, each.text) for each in read_traffic("-")] == [("-", "1")]


def test_closed_standard_input_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TrafficError, match="Standard input is closed"):
        list(read_traffic("-"))


@pytest.fixture
def bucket(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="captures")
        for key, data in {
            "chat/2026/b.jsonl": gzip.compress(LINE % 2),
            "chat/2026/a.jsonl": LINE % 1,
            "chat/empty/": b"",
            "chat/_SUCCESS": b"x",
            "chat-2/c.jsonl": LINE % 3,
            "chat/2026/a.jsonl.bak": LINE % 4,
        }.items():
            client.put_object(Bucket="captures", Key=key, Body=data)
        yield client


@pytest.mark.parametrize(
    ("uri", "texts"),
    [
        ("s3://captures/chat", ["1", "4", "2"]),
        ("s3://captures/chat/", ["1", "4", "2"]),
        ("s3://captures/chat/2026/a.jsonl", ["1"]),
        ("s3://captures/chat*/*.jsonl", ["3", "1", "2"]),
        ("s3://captures", ["3", "1", "4", "2"]),
    ],
)
def test_folders_objects_and_patterns_in_s3(bucket, uri, texts):
    found = list(read_traffic(uri))
    assert [each.text for each in found] == texts
    assert all(each.source.startswith("s3://captures/chat") for each in found)


def test_more_objects_than_a_page_are_all_found(bucket, monkeypatch):
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "2")
    assert len(bucket.list_objects_v2(Bucket="captures")["Contents"]) == 2
    assert len(find_sources("s3://captures")) == 4


def test_an_object_may_have_any_key_and_is_told_by_one_that_can_be_printed(bucket):
    bucket.put_object(Bucket="captures", Key="odd/a\tb.jsonl", Body=LINE % 5)
    (source,) = find_sources("s3://captures/odd")
    assert (source.location, source.name) == ("s3://captures/odd/a\tb.jsonl", r"s3://captures/odd/a\tb.jsonl")
    assert source.open().read() == LINE % 5


@pytest.mark.parametrize("uri", ["s3://captures/none", "s3://nobody/chat", "s3:///chat", "s3://captures/none*"])
def test_what_is_not_in_s3_is_an_error_that_names_it(bucket, uri):
    with pytest.raises(TrafficError) as raised:
        list(read_traffic(uri))
    assert uri in str(raised.value)


def test_an_object_that_goes_away_is_an_error(bucket):
    (source,) = find_sources("s3://captures/chat-2")
    bucket.delete_object(Bucket="captures", Key="chat-2/c.jsonl")
    with pytest.raises(TrafficError, match="chat-2"):
        source.open().read()


def test_rejects_are_written_without_any_prompt(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines_of({"prompt": "fine"}) + b'{"prompt": "secret\n[1]\n' + lines_of({"prompt": ""}))
    list(read_traffic(path, rejects=tmp_path / "rejects.jsonl"))
    text = (tmp_path / "rejects.jsonl").read_text()
    assert "secret" not in text
    assert text.count("\n") == 3
    assert f'{{"source":"{path}","line":2,"kind":"reject","reason":"not JSON"}}' in text
    with pytest.raises(TrafficError, match="rejects cannot be written"):
        Rejects(tmp_path / "no" / "such" / "folder")
