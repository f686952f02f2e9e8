"""``warmroute replay`` as users start it, against a local endpoint in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from warmroute.demo import example_spec_text
from warmroute.measure.replay import read_rows

ACCOUNT = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}


class Local:
    """A local endpoint in a process."""

    def __init__(self, folder: Path) -> None:
        spec = folder / "endpoint.yaml"
        spec.write_text(example_spec_text(), encoding="utf-8")
        command = [sys.executable, "-m", "warmroute", "local", str(spec), "--port", "0", "--speed", "20"]
        self.process = subprocess.Popen([*command, "--format", "json"], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["url"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Local]]:
    started: list[Local] = []

    def one() -> Local:
        started.append(Local(tmp_path))
        return started[-1]

    yield one
    for each in started:
        each.process.kill()
        each.process.wait()
        assert each.process.stdout is not None
        each.process.stdout.close()


@pytest.fixture
def trace(tmp_path: Path) -> Callable[..., str]:
    def write(requests: int, *, seconds: float) -> str:
        file = tmp_path / "trace.jsonl"
        lines = (
            {
                "timestamp": 1e3 * seconds * number / requests,
                "messages": [
                    {"role": "system", "content": "This handbook answers every question. " * 200},
                    {"role": "user", "content": f"Question {number}?"},
                ],
                "output_length": 4 + number % 3,
            }
            for number in range(requests)
        )
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return str(file)

    return write


def command(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "warmroute", "replay", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **ACCOUNT},
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    return process.returncode, out, err


def record_of(folder: Path) -> Any:
    return orjson.loads((folder / "run.json").read_bytes())


def test_both_targets_get_every_answer(start: Any, trace: Any, tmp_path: Path) -> None:
    local = start()
    for kind in ("invoke", "openai"):
        folder = tmp_path / kind
        where = ["--api", kind, "--endpoint", "support-bot", "--endpoint-url", local.url]
        code, out, err = outcome(command(trace(40, seconds=4), *where, "--output", str(folder), "--format", "json"))

        summary = json.loads(out)
        rows = sorted(read_rows(folder), key=lambda row: row.index)
        assert err == ""
        assert code == (0 if summary["valid"] else 1)  # The machine may be too busy for its times to count.
        assert (summary["planned"], summary["answered"], summary["errors"]) == (40, 40, {})
        assert [row.index for row in rows] == list(range(40))
        assert [row.output_tokens for row in rows] == [4 + number % 3 for number in range(40)]
        assert rows[0].cached_tokens == 0  # The salt is new: the other target's run left nothing to find.
        assert sum((row.cached_tokens or 0) > 1_000 for row in rows) > 20
        assert all(row.variant == "main" and row.instance for row in rows)
        assert all(row.e2e_seconds >= row.ttft_seconds > 0 for row in rows)
        assert record_of(folder)["complete"] is True


def test_an_endpoint_that_dies_leaves_a_row_for_each_request(start: Any, trace: Any, tmp_path: Path) -> None:
    local = start()
    folder = tmp_path / "run"
    where = ["--endpoint", "support-bot", "--endpoint-url", local.url, "--output", str(folder)]
    process = command(trace(60, seconds=6), *where)
    _await_rows(folder)
    local.process.kill()

    _, out, err = outcome(process)

    rows = list(read_rows(folder))
    errors = Counter(row.error for row in rows)
    assert err == ""
    assert f"{errors[None]} answered, {60 - errors[None]} not" in out
    assert sorted(row.index for row in rows) == list(range(60))
    assert errors[None] > 0
    assert errors["connection refused"] > 0
    assert set(errors) <= {None, "connection refused", "connection lost"}


def test_ctrl_c_ends_in_one_line_with_a_complete_record(start: Any, trace: Any, tmp_path: Path) -> None:
    local = start()
    folder = tmp_path / "run"
    where = ["--endpoint", "support-bot", "--endpoint-url", local.url, "--output", str(folder)]
    process = command(trace(600, seconds=600), *where)
    _await_rows(folder)
    process.send_signal(signal.SIGINT)

    code, _, err = outcome(process)

    rows = list(read_rows(folder))
    assert code == 130
    assert err.startswith("Stopped. ")
    assert err.count("\n") == 1
    assert sorted(row.index for row in rows) == list(range(600))
    assert {row.error for row in rows} <= {None, "stopped", "not sent"}
    assert record_of(folder)["complete"] is False


def test_an_endpoint_that_is_not_there(start: Any, trace: Any, tmp_path: Path) -> None:
    local = start()
    folder = tmp_path / "run"
    where = ["--endpoint", "another", "--endpoint-url", local.url, "--output", str(folder)]

    code, out, _ = outcome(command(trace(300, seconds=6), *where))

    errors = Counter(row.error for row in read_rows(folder))
    assert code == 1
    assert "No request was answered" in out
    assert "given up" in out
    assert errors["ValidationError 400"] >= 100
    assert errors.total() == 300


def test_a_server_that_is_not_there(trace: Any, tmp_path: Path) -> None:
    where = ["--api", "openai", "--base-url", "http://localhost:9/v1", "--output", str(tmp_path / "run")]

    code, _, err = outcome(command(trace(3, seconds=1), *where))

    assert code == 1
    assert err == "localhost:9 cannot be reached: connection refused. Is the address right, and does the server run?\n"
    assert not (tmp_path / "run").exists()


def _await_rows(folder: Path) -> None:
    """Until the run has answers to show: the rows are flushed in blocks, so this looks at time, not at the file."""
    deadline = time.monotonic() + 60
    while not (folder / "run.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(2.5)
