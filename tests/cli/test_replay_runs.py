"""``warmroute replay`` from a trace to what it prints, with the local endpoint in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from in_process import running_in_process
from loopback import Asked, answering

from warmroute.demo import example_spec
from warmroute.local import RunningLocally
from warmroute.measure.replay import ReplayRun, read_rows

Run = Callable[..., Any]
REQUESTS = 8
TRACE = "".join(
    json.dumps({"timestamp": 5 * number, "input_length": 40, "output_length": 2, "hash_ids": [number]}) + "\n"
    for number in range(REQUESTS)
)


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_in_process(example_spec()) as running:
        yield running


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, local: RunningLocally) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in local.environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "trace.jsonl").write_text(TRACE, "utf-8")


def test_every_request_is_answered_and_has_a_row(run: Run, tmp_path: Path) -> None:
    ran = run("replay", "trace.jsonl", "--endpoint", "support-bot", "--output", "run")

    said = ran.out.splitlines()
    assert ran.err == ""
    assert said[0].startswith("8 requests over 0.0 s to ")
    assert "note: 8 requests were sent as made-up text of the recorded length and shared beginnings." in said
    assert "8 answered, 0 not" in said
    names = ["time to first token", "end to end", "send lag", "  of it, waiting for a connection"]
    assert [line[:34].rstrip() for line in said if " p50 " in line] == names
    assert "rows: run/requests.parquet" in said
    assert [row.error for row in read_rows(tmp_path / "run")] == [None] * REQUESTS
    # A busy machine may make the run invalid, and then the exit code and the last line say so.
    assert ran.code == int(said[-1].startswith("not valid: "))


def test_programs_read_one_document(run: Run, tmp_path: Path) -> None:
    ran = run("replay", "trace.jsonl", "--endpoint", "support-bot", "--requests", "3", "--format", "json")

    told = json.loads(ran.out)
    (folder,) = tmp_path.glob("replay-*")
    assert (told["planned"], told["answered"], told["errors"]) == (3, 3, {})
    assert told["requests"] == f"{folder.name}/requests.parquet"
    assert (told["valid"], ran.code) in {(True, 0), (False, 1)}


def test_on_a_terminal_a_bar_tells_the_times_so_far(run_on_terminal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.measure.replay.replay._REPORT_SECONDS", 0.001)
    ran = run_on_terminal("replay", "trace.jsonl", "--endpoint", "support-bot", "--output", "run")

    assert re.search(r"TTFT P50 .+ P90 .+, \d+ in flight, 0 failed .*\d/8", ran.out)
    assert "8 answered, 0 not" in ran.out


def test_chats_go_by_the_other_api_too(run: Run, tmp_path: Path) -> None:
    message = {"role": "user", "content": "Why?"}
    line = json.dumps({"timestamp": 0, "messages": [message], "output_length": 2}) + "\n"
    (tmp_path / "chats.jsonl").write_text(line * 3, "utf-8")

    run("replay", "chats.jsonl", "--api", "openai", "--endpoint", "support-bot", "--output", "run")

    assert [row.error for row in read_rows(tmp_path / "run")] == [None] * 3


def test_another_server_gets_the_key_of_its_variable(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"timestamp": 0, "messages": [{"role": "user", "content": "Why?"}], "output_length": 2}) + "\n"
    (tmp_path / "chats.jsonl").write_text(line, "utf-8")
    monkeypatch.setenv("MY_KEY", "secret")
    asked: list[Asked] = []
    options = ["--api", "openai", "--api-key-variable", "MY_KEY", "--output", "run"]

    with answering(lambda request: (asked.append(request), (401, b"{}"))[1]) as url:
        ran = run("replay", "chats.jsonl", *options, "--base-url", f"{url}/v1")

    assert ran.code == 1
    assert [(each.path, each.headers["Authorization"]) for each in asked] == [("/v1/chat/completions", "Bearer secret")]


def test_a_refusal_is_counted_by_its_name_and_has_exit_code_1(run: Run) -> None:
    ran = run("replay", "trace.jsonl", "--endpoint", "nobody", "--output", "run")

    said = ran.out.splitlines()
    assert ran.code == 1
    assert "0 answered, 8 not" in said
    assert "  8 ValidationError 400" in said
    assert "time to first token               p50          -  p90          -  p99          -  max          -" in said
    assert said[-1] == "not valid: No request was answered."


def test_a_stop_tells_what_was_sent_and_where_the_rows_are(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ReplayRun.run

    def stopped(self: ReplayRun) -> None:
        whole(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(ReplayRun, "run", stopped)
    ran = run("replay", "trace.jsonl", "--endpoint", "support-bot", "--output", "run")

    assert ran.code == 130
    assert ran.err == (
        "Stopped. 8 of 8 requests were sent; run/requests.parquet has a row for each, and run.json says that the run "
        "is not complete.\n"
    )
