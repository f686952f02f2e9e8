"""What is left out is counted, told with its first case, and written where a user wants it."""

from __future__ import annotations

import json
import os

import pytest

from warmroute.traffic import Rejects
from warmroute.traffic.errors import TrafficError


def test_every_case_has_a_line_and_every_reason_a_sentence(tmp_path):
    path = tmp_path / "rejects.jsonl"
    with Rejects(path) as rejects:
        rejects.note("b", 0, "a doubt")
        rejects.reject("a", 3, "no JSON")
        rejects.reject("a", 1, "too long")
        rejects.reject("b", 4, "too long")

    assert rejects.summary() == [
        "2 rejected: too long (first: a:1).",
        "1 rejected: no JSON (first: a:3).",
        "1 noted: a doubt (first: b).",
    ]
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert cases[0] == {"source": "b", "line": 0, "kind": "note", "reason": "a doubt"}
    assert [(case["kind"], case["line"]) for case in cases[1:]] == [("reject", 3), ("reject", 1), ("reject", 4)]


@pytest.mark.parametrize("before", [b"", b'{"source": "a", "line": 1, "kind": "reject", "reason": "x"}\n{'])
def test_a_file_of_rejects_is_written_anew(tmp_path, before):
    path = tmp_path / "rejects.jsonl"
    path.write_bytes(before)
    Rejects(path).close()

    assert path.read_bytes() == b""


@pytest.mark.parametrize("before", [b"name: endpoint\n", b'{"prompt": "mine"}\n', b"[1]"])
def test_a_file_that_holds_something_else_is_kept(tmp_path, before):
    path = tmp_path / "mine"
    path.write_bytes(before)

    with pytest.raises(TrafficError, match=r"mine: the file exists, and holds no rejects\. Give another path"):
        Rejects(path)

    assert path.read_bytes() == before


def test_a_path_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(TrafficError, match="the rejects cannot be written: No such file or directory"):
        Rejects(tmp_path / "none" / "rejects")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has this device.")  # noqa: PTH110
def test_a_disk_that_is_full_is_told_and_no_traceback():
    def fill(count):
        with Rejects("/dev/full") as rejects:
            for line in range(count):
                rejects.reject("a", line, "too long")

    for count in (1, 10_000):  # What is buffered is written at the end.
        with pytest.raises(TrafficError, match=r"^/dev/full: the rejects cannot be written: No space left on device"):
            fill(count)
