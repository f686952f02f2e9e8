"""Locust's own master and workers, in processes of their own, replay a trace against a local endpoint."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from warmroute.demo import example_spec
from warmroute.local import running_locally
from warmroute.measure.load.share import worker_of
from warmroute.measure.replay import Load, Sending, prepare, read_rows

pytestmark = pytest.mark.skipif(importlib.util.find_spec("locust") is None, reason="locust is not installed")

LOCUSTFILE = Path(__file__).parents[1] / "examples/locust/locustfile.py"
SESSIONS, TURNS, SECONDS = 12, 5, 4.0
REQUESTS = SESSIONS * TURNS


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_locally(example_spec(), speed=20) as local:
        yield local.url


class LocustTest:
    """One test of Locust: a master, workers, a trace."""

    def __init__(self, folder: Path, url: str, seconds: float) -> None:
        self.folder, self.trace = folder, folder / "trace.jsonl"
        self._processes: list[subprocess.Popen[str]] = []
        self._write_trace(seconds)
        self.environment = {
            **os.environ,
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "TRACE": str(self.trace),
        }
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = str(free.getsockname()[1])

    def master(self, workers: int) -> subprocess.Popen[str]:
        options = ["--master", "--master-bind-port", self._port, "--expect-workers", str(workers)]
        return self.start("master", *options, "--expect-workers-max-wait", "200")

    def worker(self, name: str, **environment: str) -> subprocess.Popen[str]:
        return self.start(name, "--worker", "--master-port", self._port, **environment)

    def start(self, name: str, *options: str, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--only-summary", *options]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            env={**self.environment, "FOLDER": str(self.folder / name), **environment},
        )
        self._processes.append(process)
        return process

    def run_of(self, name: str) -> Path:
        """The folder of the only run that a process has recorded."""
        (run,) = (self.folder / name).iterdir()
        return run

    def end(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()

    def _write_trace(self, seconds: float) -> None:
        lines = (
            {
                "timestamp": 1e3 * seconds * number / REQUESTS,
                "session_id": f"session {number % SESSIONS}",
                "messages": [
                    {"role": "system", "content": "This handbook answers every question. " * 100},
                    {"role": "user", "content": f"Question {number}?"},
                ],
                "output_length": 4,
            }
            for number in range(REQUESTS)
        )
        self.trace.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.fixture
def test(tmp_path: Path, url: str) -> Iterator[LocustTest]:
    one = LocustTest(tmp_path, url, SECONDS)
    yield one
    one.end()


def test_two_workers_send_each_request_once_at_its_time(test: LocustTest) -> None:
    master = test.master(2)
    workers = [test.worker("first"), test.worker("second")]
    _, said = master.communicate(timeout=240)
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert "Traceback" not in errors

    rows = sorted(read_rows(test.run_of("master")), key=lambda row: row.index)
    record = _record_of(test.run_of("master"))
    plan = list(prepare([str(test.trace)], Load(), Sending(), chat_only=False).schedule)
    assert "Traceback" not in said
    assert master.returncode == (0 if record["valid"] else 1)  # The machine may be too busy for its times to count.
    assert (record["planned"], record["answered"], record["workers"]) == (REQUESTS, REQUESTS, 2)
    assert (test.run_of("master") / "requests.parquet").exists()
    assert record["complete"] is True
    assert 0 < record["clock_uncertainty_seconds"] < 1

    assert [row.index for row in rows] == list(range(REQUESTS))
    assert [row.planned_seconds for row in rows] == pytest.approx([each.planned_seconds for each in plan], abs=1e-6)
    assert all(row.sent_seconds >= row.planned_seconds - 1e-3 for row in rows)
    assert sum(row.lag_seconds for row in rows) / REQUESTS < 0.5
    assert all(row.e2e_seconds >= row.ttft_seconds > 0 for row in rows)
    assert sum((row.cached_tokens or 0) > 500 for row in rows) > REQUESTS // 2  # One salt for all.

    own = [{row.index for row in read_rows(next(test.run_of(name).iterdir()))} for name in ("first", "second")]
    shares = [{each.number for each in plan if worker_of(each, 2) == index} for index in (0, 1)]
    assert sorted(map(sorted, own)) == sorted(map(sorted, shares))
    assert all(own)


def test_one_process_is_enough(test: LocustTest) -> None:
    process = test.start("alone", SPEED="4")
    _, said = process.communicate(timeout=120)

    record = _record_of(test.run_of("alone"))
    assert "Traceback" not in said
    assert (record["answered"], record["workers"]) == (REQUESTS, 1)


def test_a_lost_worker_leaves_a_row_for_each_of_its_requests(test: LocustTest) -> None:
    master = test.master(2)
    workers = [test.worker("first"), test.worker("second")]
    _await((test.folder / "master").exists)
    time.sleep(2.0)
    workers[1].kill()
    _, said = master.communicate(timeout=240)

    rows = sorted(read_rows(test.run_of("master")), key=lambda row: row.index)
    record = _record_of(test.run_of("master"))
    assert "Traceback" not in said
    assert master.returncode == 1
    assert [row.index for row in rows] == list(range(REQUESTS))
    assert {row.error for row in rows} == {None, "worker lost"}
    assert record["complete"] is False
    assert any("A worker was lost" in problem for problem in record["problems"])


def test_ctrl_c_at_the_master_keeps_what_came(tmp_path: Path, url: str) -> None:
    test = LocustTest(tmp_path, url, 600.0)
    try:
        master = test.master(1)
        worker = test.worker("first")
        _await((test.folder / "master").exists)
        time.sleep(3.0)
        master.send_signal(signal.SIGINT)
        _, said = master.communicate(timeout=120)
        worker.communicate(timeout=120)
    finally:
        test.end()

    rows = sorted(read_rows(test.run_of("master")), key=lambda row: row.index)
    record = _record_of(test.run_of("master"))
    assert "Traceback" not in said
    assert [row.index for row in rows] == list(range(REQUESTS))
    assert {row.error for row in rows} <= {None, "stopped", "not sent"}
    assert record["complete"] is False
    assert "It was stopped before its end" in " ".join(record["problems"])


def test_a_worker_with_another_trace_is_refused(test: LocustTest) -> None:
    other = test.folder / "other.jsonl"
    other.write_text(test.trace.read_text("utf-8").replace("Question 7?", "Question 8?"), "utf-8")
    master = test.master(2)
    test.worker("first")
    test.worker("second", TRACE=str(other))
    _, said = master.communicate(timeout=240)

    assert master.returncode == 1
    assert "the plan differs from the master's" in said, said
    assert "Traceback" not in said
    assert not (test.folder / "master").exists()


def test_a_trace_that_is_not_there_is_told_once_and_without_a_traceback(test: LocustTest) -> None:
    alone = test.start("alone", TRACE="nowhere.jsonl")

    _, said = alone.communicate(timeout=60)

    assert alone.returncode == 1
    assert said.count("nowhere.jsonl: there is no such file.") == 1
    assert "Traceback" not in said


def _record_of(folder: Path) -> Any:
    return orjson.loads((folder / "run.json").read_bytes())


def _await(what: Any) -> None:
    deadline = time.monotonic() + 200
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)
