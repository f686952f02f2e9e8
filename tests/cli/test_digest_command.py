"""``warmroute digest``, as it is typed."""

from __future__ import annotations

import json
import sys

import pytest

from warmroute.traffic.digest.table import read_digest

CALL = {"captureData": {"endpointInput": {"data": '{"prompt": "ab"}', "encoding": "JSON"}}}


@pytest.fixture
def capture(tmp_path):
    file = tmp_path / "capture.jsonl"
    file.write_text(json.dumps(CALL) + "\n{\n")
    return file


def test_captured_files_become_a_table(run, tmp_path, capture):
    output, rejects = tmp_path / "table.parquet", tmp_path / "rejects.jsonl"
    options = ("--ladder", "1,2", "--sampling-percentage", "50", "--rejects", rejects)
    ran = run("digest", str(capture), "-o", str(output), *map(str, options))
    assert ran.code == 0
    assert ran.err.splitlines() == [f"Wrote 1 request to {output}.", f"1 rejected: not JSON (first: {capture}:2)."]
    table = read_digest(output)
    assert table.metadata.ladder == (1, 2)
    assert table.metadata.sampling_percentage == 50
    assert table.metadata.sources == (str(capture),)
    assert table.metadata.rejects == {"not JSON": 1}
    assert json.loads(rejects.read_text())["line"] == 2


def test_other_traffic_becomes_a_table(run, tmp_path):
    output = tmp_path / "table.parquet"
    line = json.dumps({"messages": [{"role": "user", "content": "abc"}]})
    assert run("digest", "-", "-o", str(output), stdin=f"{line}\n[]\n").code == 0
    table = read_digest(output)
    assert table.numbers("text_characters").tolist() == [3.0]
    assert table.metadata.rejects == {"not a JSON object": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ladder", "2,1"), "each above the one before"),
        (("--ladder", "many"), "many is no ladder"),
        (("--memory-limit", "lots"), "lots is no limit of memory"),
        (("--input-format", "nothing"), "no format 'nothing'"),
        (("--engine", "abacus"), "There is no engine abacus. Use duckdb or spark."),
        (("--engine", "spark", "--input-format", "chat"), "spark digests files of Data Capture only"),
        (("--session-field", "eventId"), "eventId"),
    ],
)
def test_what_is_wrong_is_told(run, tmp_path, capture, options, message):
    ran = run("digest", str(capture), "-o", str(tmp_path / "table.parquet"), *options)
    assert ran.code != 0
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_spark_that_is_not_installed_is_told(run, tmp_path, capture, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = run("digest", str(capture), "-o", str(tmp_path / "table.parquet"), "--engine", "spark")
    assert ran.code == 1
    assert ran.err == "A digest on Spark needs packages that are not installed. Run: pip install 'warmroute[spark]'\n"
