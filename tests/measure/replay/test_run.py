"""A whole run, and its record on disk."""

from __future__ import annotations

import asyncio
import builtins
import math
import time

import orjson
import pytest
from aiohttp import web
from local.containers import container
from measure.replay.simulated import END, LAST, TOKEN, Endpoint, Target, request
from measure.replay.test_summary import row
from measure.virtual_time import run_virtually

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import OpenAITarget, ReplayRun, Schedule, read_rows
from warmroute.measure.replay.journal import Journal


def replay(folder, *, stop_after=None, count=5, **options):
    run = ReplayRun(Schedule([request(n, n * 1.0) for n in range(count)]), Target(), folder, **options)

    async def main(loop):
        task = asyncio.create_task(run.run_over(Endpoint().exchange))
        if stop_after is not None:
            loop.call_later(stop_after, task.cancel)
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()

    run_virtually(main)
    return run.result


@pytest.fixture
def without_pyarrow(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_the_record_of_a_run(tmp_path):
    pytest.importorskip("pyarrow")
    result = replay(tmp_path / "run", about={"trace": "t.jsonl"})

    rows = list(read_rows(tmp_path / "run"))
    record = orjson.loads((tmp_path / "run" / "run.json").read_bytes())
    assert result.requests == tmp_path / "run" / "requests.parquet"
    assert [each.index for each in rows] == [0, 1, 2, 3, 4]
    assert rows[0].ttft_seconds == pytest.approx(1.0)
    assert (record["complete"], record["planned"], record["answered"]) == (True, 5, 5)
    assert record["trace"] == "t.jsonl"
    assert record["cache_salt"].startswith("warmroute-")
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == ["requests.parquet", "run.json"]


def test_without_pyarrow_the_rows_are_json_lines(tmp_path, without_pyarrow):
    result = replay(tmp_path / "run")
    assert result.requests.name == "requests.jsonl"
    assert len(list(read_rows(result.requests))) == 5


def test_two_runs_have_two_salts(tmp_path):
    salts = set()
    for name in ("a", "b"):
        replay(tmp_path / name)
        salts.add(orjson.loads((tmp_path / name / "run.json").read_bytes())["cache_salt"])
    assert len(salts) == 2


def test_a_stopped_run_has_every_row_and_says_that_it_is_not_complete(tmp_path):
    result = replay(tmp_path / "run", stop_after=2.5)

    rows = list(read_rows(tmp_path / "run"))
    record = orjson.loads((tmp_path / "run" / "run.json").read_bytes())
    assert [each.index for each in sorted(rows, key=lambda each: each.index)] == [0, 1, 2, 3, 4]
    assert {each.error for each in rows} == {None, "stopped", "not sent"}
    assert (record["complete"], record["valid"]) == (False, False)
    assert "It was stopped before its end: 2 requests were not sent." in result.summary.problems


def test_a_clock_that_is_set_during_the_run_makes_it_invalid(tmp_path, monkeypatch):
    real, calls = time.time, []

    def jumping():
        calls.append(1)
        return real() + (3_600 if len(calls) > 1 else 0)

    monkeypatch.setattr(time, "time", jumping)
    result = replay(tmp_path / "run")
    assert any("clock of this machine moved by +3,6" in problem for problem in result.summary.problems)
    assert result.summary.answered == 5


def test_a_full_disk_ends_the_run_with_one_message_and_keeps_what_fits(tmp_path, monkeypatch):
    written = []
    real = Journal.write

    def full(self, row):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(row)
        real(self, row)

    monkeypatch.setattr(Journal, "write", full)
    with pytest.raises(WarmrouteError, match=r"run: No space left on device\. Give a folder"):
        replay(tmp_path / "run")
    assert len(list(read_rows(tmp_path / "run"))) == 2


def test_a_folder_with_a_run_is_left_alone(tmp_path):
    replay(tmp_path / "run")
    with pytest.raises(WarmrouteError, match="there is a run already"):
        replay(tmp_path / "run")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WarmrouteError, match="Give a folder that can be written"):
        replay(tmp_path / "file" / "run")


def test_rows_without_their_times_are_read_as_they_were(tmp_path, without_pyarrow):
    journal = Journal(tmp_path)
    given = [row(0, error="HTTP 500"), row(1), row(2, lag=math.nan, error="not sent")]
    for each in given:
        journal.write(each)
    found = list(read_rows(journal.close()))
    assert repr(found) == repr(given)


def test_a_line_that_a_killed_process_did_not_finish_is_left_out(tmp_path):
    journal = Journal(tmp_path)
    journal.write(row(0))
    journal._lines.write(b'{"arm": "a", "pai')
    journal._lines.flush()
    assert [each.index for each in read_rows(tmp_path)] == [0]
    journal._lines.close()


def test_progress_is_told_twice_a_second(tmp_path):
    told = []
    replay(tmp_path / "run", on_progress=told.append)
    assert 10 <= len(told) <= 14
    assert [each.total for each in told] == [5] * len(told)
    assert (told[-1].ended, told[-1].failed) == (4, 0)
    assert told[-1].ttft_p50_seconds == pytest.approx(1.0)


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "requests.parquet").write_bytes(b"no table")
    pytest.importorskip("pyarrow")
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(WarmrouteError, match="Give the folder of a replay"):
            list(read_rows(path))


def test_a_run_over_http_sends_each_request_to_the_target_s_server(tmp_path):
    asked = []

    async def answer(request):
        asked.append((request.path, await request.json()))
        return web.Response(body=TOKEN + LAST + END, content_type="text/event-stream")

    async def main():
        async with container(answer) as url:
            run = ReplayRun(
                Schedule([request(n, n * 0.001) for n in range(5)]),
                OpenAITarget(f"{url}/v1"),
                tmp_path / "run",
                cache_salt=False,
            )
            return await asyncio.to_thread(run.run)

    replayed = asyncio.run(main())
    assert sorted(body["n"] for _, body in asked) == list(range(5))
    assert {path for path, _ in asked} == {"/v1/chat/completions"}
    assert (replayed.summary.answered, replayed.summary.errors) == (5, {})
    assert {row.error for row in read_rows(replayed.requests)} == {None}


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_sent(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(WarmrouteError, match=r"Not a directory\. Give a folder that can be written and has room\."):
        replay(tmp_path / "file" / "run")
