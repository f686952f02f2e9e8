"""A run of a master and its workers, from the trace to the record; messages and answers take virtual time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from local.containers import container
from measure.replay.simulated import END, LAST, TOKEN, Endpoint, Target
from measure.virtual_time import VirtualTimeLoop, run_virtually

from warmroute.errors import WarmrouteError
from warmroute.measure.load import Load, OpenAITarget, ReplaySettings, Sending
from warmroute.measure.load.clock import Offset
from warmroute.measure.load.masters_run import LEAD_SECONDS, MastersRun
from warmroute.measure.load.messages import ENDED, PREPARE, READY, ROWS, START, STOP
from warmroute.measure.load.share import worker_of
from warmroute.measure.load.workers_run import WorkersRun
from warmroute.measure.replay import prepare, read_rows
from warmroute.measure.replay.open_loop import GIVE_UP_AFTER
from warmroute.measure.replay.rows import STOPPED

SESSIONS, REQUESTS = 6, 30
AHEAD = 1_000.0
"""Seconds by which the master's clock is ahead of every worker's."""


def settings_in(folder: Path, count: int = REQUESTS, **more: Any) -> type[ReplaySettings]:
    """A replay of a trace of one request a second."""
    folder.mkdir(exist_ok=True)
    trace = folder / "trace.jsonl"
    lines = (
        {
            "timestamp": 1e3 * number,
            "session_id": f"session {number % SESSIONS}",
            "messages": [{"role": "user", "content": f"Question {number}?"}],
            "output_length": 3,
        }
        for number in range(count)
    )
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    known = {"trace": str(trace), "folder": folder / "load", "target": classmethod(lambda _: Target())}
    return type("Replay", (ReplaySettings,), {**known, **more})


class Cluster:
    """A master and its workers in one event loop; a message takes a tenth of a second."""

    def __init__(self, loop: VirtualTimeLoop, settings: dict[str, type[ReplaySettings]]) -> None:
        self.loop = loop
        self.endpoint = Endpoint()
        self.lost: set[str] = set()
        self.said: list[tuple[str, str]] = []
        """Kind and worker of each message."""
        self.shown: list[int] = []
        """Requests that Locust's table would have."""
        self._settings = settings
        self._runs: dict[str, WorkersRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.master = MastersRun(
            settings["master"],
            [name for name in settings if name != "master"],
            self._tell,
            lambda worker: worker not in self.lost,
            clock=lambda: loop.time() + AHEAD,
        )

    def _tell(self, kind: str, worker: str, data: dict[str, Any]) -> None:
        self.said.append((kind, worker))
        self.loop.call_later(0.1, self._heard_by_worker, kind, worker, data)

    def _heard_by_worker(self, kind: str, worker: str, data: dict[str, Any]) -> None:
        if worker in self.lost:
            return
        if kind == PREPARE:
            self._tasks[worker] = self.loop.create_task(self._work(worker, data))
        elif kind == START:
            self._runs[worker].start(data["at"])
        elif not self._runs[worker].stop():
            self._tasks[worker].cancel()

    async def _work(self, worker: str, data: dict[str, Any]) -> None:
        """What a worker's greenlet does."""

        def tell(kind: str, data: dict[str, Any]) -> None:
            if worker not in self.lost:
                self.said.append((kind, worker))
                self.loop.call_later(0.1, self.master.hear, kind, worker, data)

        run = self._runs[worker] = WorkersRun(
            self._settings[worker], data, tell, lambda row: self.shown.append(row.index)
        )
        error: str | None = None
        reporting = self.loop.create_task(self._report(run))
        try:
            run.prepare()
            await run.replay_async(Offset(AHEAD, 0.001), lambda *_: nullcontext(self.endpoint.exchange))
        except asyncio.CancelledError:
            pass
        except WarmrouteError as refused:
            error = str(refused)
        finally:
            reporting.cancel()
            run.end(error)

    async def _report(self, run: WorkersRun) -> None:
        while True:
            await asyncio.sleep(1.0)
            run.send_rows()

    def lose(self, worker: str) -> None:
        """The worker's machine is gone."""
        self.lost.add(worker)
        self._tasks[worker].cancel()

    async def run(self, then: Callable[[], None] = lambda: None, seconds: float = 1e9) -> None:
        """Until nothing more is to come, or something is done after so many seconds and everybody stopped."""
        self.master.prepare()
        self.master.start_if_ready()
        deadline = self.loop.time() + seconds
        while not self.master.is_over:
            await asyncio.sleep(0.05)
            if self.loop.time() >= deadline:
                then()
                break
        self.master.stop()
        while self.master.left:
            await asyncio.sleep(0.05)
        await asyncio.wait(self._tasks.values())


def rows_of(replayed: Any) -> list[Any]:
    return sorted(read_rows(replayed.requests), key=lambda row: row.index)


def record_of(replayed: Any) -> dict[str, Any]:
    return json.loads((replayed.requests.parent / "run.json").read_text("utf-8"))


def run_of(folder: Path, *, workers: int = 2, ends: Callable[[Cluster], None] | None = None, seconds: float = 1e9):
    """The cluster after a run of one trace, and its record."""
    names = ["master", *(f"node-{number}" for number in range(workers))]

    async def main(loop: VirtualTimeLoop) -> tuple[Cluster, Any]:
        cluster = Cluster(loop, {name: settings_in(folder / name) for name in names})
        await cluster.run((lambda: ends(cluster)) if ends else (lambda: None), seconds)
        return cluster, cluster.master.end()

    return run_virtually(main)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_send_each_request_once_at_its_time_and_the_master_has_every_row(tmp_path, workers):
    cluster, replayed = run_of(tmp_path, workers=workers)

    rows = rows_of(replayed)
    assert cluster.master.failures == []
    assert [row.index for row in rows] == list(range(REQUESTS))
    assert [row.planned_seconds for row in rows] == pytest.approx([float(number) for number in range(REQUESTS)])
    assert [row.sent_seconds for row in rows] == pytest.approx([float(number) for number in range(REQUESTS)], abs=1e-6)
    assert [row.ttft_seconds for row in rows] == pytest.approx([1.0] * REQUESTS)
    assert sorted(cluster.shown) == list(range(REQUESTS))

    record = record_of(replayed)
    assert (record["complete"], record["planned"], record["answered"]) == (True, REQUESTS, REQUESTS)
    assert (record["workers"], record["clock_uncertainty_seconds"]) == (workers, 0.001)
    assert record["target"] == "a test"


def test_each_worker_keeps_the_rows_of_its_own_sessions(tmp_path):
    cluster, _ = run_of(tmp_path)
    plan = list(prepare([str(tmp_path / "master" / "trace.jsonl")], Load(), Sending(), chat_only=True).schedule)
    for index in range(2):
        kept = read_rows(tmp_path / f"node-{index}" / "load" / cluster.master.name / f"worker-{index}")
        assert [row.index for row in kept] == [each.number for each in plan if worker_of(each, 2) == index]


def test_all_workers_salt_their_requests_alike_and_each_run_anew(tmp_path):
    salts = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        cluster, replayed = run_of(tmp_path / name)
        (salt,) = {json.loads(body)["cache_salt"] for body in cluster.endpoint.bodies}
        assert record_of(replayed)["cache_salt"] == salt
        salts.append(salt)
    assert salts[0] != salts[1]


def test_nobody_starts_before_all_are_ready_and_then_all_at_once(tmp_path):
    cluster, _ = run_of(tmp_path)
    kinds = [kind for kind, _ in cluster.said]
    assert kinds[:6] == [PREPARE, PREPARE, READY, READY, START, START]
    assert set(kinds[6:]) == {ROWS, ENDED}
    for worker in ("node-0", "node-1"):
        told = [kind for kind, name in cluster.said if name == worker]
        assert told.index(ENDED) == len(told) - 1


def test_a_lost_worker_leaves_a_row_for_each_of_its_requests(tmp_path):
    cluster, replayed = run_of(tmp_path, ends=lambda cluster: cluster.lose("node-1"), seconds=10.0)

    rows = rows_of(replayed)
    assert cluster.master.left == set()
    assert [row.index for row in rows] == list(range(REQUESTS))
    assert "worker lost" in {row.error for row in rows}
    assert any("A worker was lost" in problem for problem in record_of(replayed)["problems"])


def test_a_run_that_is_stopped_keeps_what_came_and_says_so(tmp_path):
    _, replayed = run_of(tmp_path, seconds=10.5)

    rows = rows_of(replayed)
    assert [row.index for row in rows] == list(range(REQUESTS))
    errors = [row.error for row in rows]
    assert errors[:8] == [None] * 8
    assert set(errors[8:]) <= {None, STOPPED, "not sent"}
    assert record_of(replayed)["complete"] is False
    assert "It was stopped before its end" in " ".join(record_of(replayed)["problems"])


def test_a_run_that_is_stopped_before_its_start_sends_nothing(tmp_path):
    cluster, replayed = run_of(tmp_path, seconds=0.25)
    assert cluster.endpoint.bodies == []
    assert replayed is None or {row.error for row in rows_of(replayed)} <= {"not sent", "worker lost"}


def test_a_worker_with_another_trace_is_named_and_nothing_is_sent(tmp_path):
    async def main(loop):
        settings = {name: settings_in(tmp_path / name) for name in ("master", "node-0")}
        settings["node-1"] = settings_in(tmp_path / "node-1", count=REQUESTS - 1)
        cluster = Cluster(loop, settings)
        await cluster.run()
        return cluster, cluster.master.end()

    cluster, replayed = run_virtually(main)
    assert replayed is None
    (failure,) = cluster.master.failures
    assert failure.startswith("node-1: the plan differs from the master's. Give every machine the same trace, ")
    assert cluster.endpoint.bodies == []
    assert not (tmp_path / "master" / "load").exists()


def test_a_worker_that_cannot_prepare_says_why(tmp_path):
    async def main(loop):
        settings = {name: settings_in(tmp_path / name) for name in ("master", "node-0", "node-1")}
        Path(settings["node-1"].trace).unlink()
        cluster = Cluster(loop, settings)
        await cluster.run()
        return cluster, cluster.master.end()

    cluster, replayed = run_virtually(main)
    (failure,) = cluster.master.failures
    assert replayed is None
    assert failure.startswith("node-1: ")
    assert "trace.jsonl" in failure


def test_a_master_that_cannot_prepare_says_why(tmp_path):
    settings = settings_in(tmp_path)
    Path(settings.trace).unlink()
    master = MastersRun(settings, ["node-0"], lambda *_: None, lambda _: True)
    master.prepare()
    master.start_if_ready()
    assert master.is_over
    assert "trace.jsonl" in master.failures[0]


def test_a_full_disk_of_a_worker_ends_its_part_and_is_told(tmp_path, monkeypatch):
    def fill(cluster: Cluster) -> None:
        def full(_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(cluster._runs["node-1"]._journal, "write", full)

    async def main(loop):
        cluster = Cluster(loop, {name: settings_in(tmp_path / name) for name in ("master", "node-0", "node-1")})
        loop.call_later(10.0, fill, cluster)
        await cluster.run()
        return cluster, cluster.master.end()

    cluster, replayed = run_virtually(main)
    (failure,) = cluster.master.failures
    assert failure.startswith("node-1: ")
    assert "No space left on device. Give a folder that can be written and has room." in failure
    assert failure in record_of(replayed)["problems"]
    assert [row.index for row in rows_of(replayed)] == list(range(REQUESTS))


def test_a_full_disk_of_the_master_ends_the_run(tmp_path, monkeypatch):
    def fill(cluster: Cluster) -> None:
        def full(_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(cluster.master._merging, "add", full)

    async def main(loop):
        cluster = Cluster(loop, {name: settings_in(tmp_path / name) for name in ("master", "node-0")})
        loop.call_later(10.0, fill, cluster)
        await cluster.run()
        return cluster

    cluster = run_virtually(main)
    monkeypatch.undo()
    cluster.master.end()
    assert "No space left on device" in cluster.master.failures[0]
    assert (STOP, "node-0") in cluster.said


def test_a_target_that_refuses_everything_is_given_up(tmp_path):
    async def main(loop):
        cluster = Cluster(
            loop, {name: settings_in(tmp_path / name, count=GIVE_UP_AFTER + 20) for name in ("master", "node-0")}
        )
        cluster.endpoint.behave = lambda _: (403, {}, b"{}")
        await cluster.run()
        return cluster.master.end()

    replayed = run_virtually(main)
    assert "It was given up, since every answer was a refusal." in record_of(replayed)["problems"]


def test_a_folder_of_the_master_that_cannot_be_written_is_told_before_the_start(tmp_path):
    async def main(loop):
        cluster = Cluster(loop, {name: settings_in(tmp_path / name) for name in ("master", "node-0")})
        (tmp_path / "master" / "load").write_text("a file", "utf-8")
        await cluster.run()
        return cluster, cluster.master.end()

    cluster, replayed = run_virtually(main)
    assert replayed is None
    assert "Give a folder that can be written and has room." in cluster.master.failures[0]
    assert cluster.endpoint.bodies == []


def test_a_worker_in_a_thread_of_its_own_sends_over_http(tmp_path):
    async def answer(request):
        await request.read()
        return web.Response(body=TOKEN + LAST + END, content_type="text/event-stream")

    async def main():
        said: list[tuple[str, dict[str, Any]]] = []

        def tell(kind: str, data: dict[str, Any]) -> None:
            said.append((kind, data))
            if kind == READY:
                run.start(time.monotonic())

        async with container(answer) as url:
            target = classmethod(lambda _: OpenAITarget(f"{url}/v1"))
            settings = settings_in(tmp_path, count=5, target=target, load=Load(speed=1_000))
            run = WorkersRun(settings, {"run": "r", "index": 0, "of": 1, "salt": ""}, tell, lambda _: None)
            assert run.stop() is False  # Nothing is sent yet.
            run.prepare()
            await asyncio.to_thread(run.replay, Offset(0.0, 0.0))
            run.end(None)
            assert run.stop() is True  # It is over; nothing is left to end.
        return said

    (_, _), (rows, told), (ended, last) = asyncio.run(main())
    assert (rows, ended) == (ROWS, ENDED)
    assert {row["index"]: row["error"] for row in told["rows"]} == dict.fromkeys(range(5))
    assert last == {"run": "r", "error": None, "gave_up": False, "problems": []}


def test_the_start_lies_a_lead_after_the_last_is_ready(tmp_path):
    told = []
    master = MastersRun(settings_in(tmp_path), ["a"], lambda *said: told.append(said), lambda _: True, lambda: 50.0)
    master.prepare()
    (_, _, data) = told[0]
    worker = WorkersRun(settings_in(tmp_path), data, lambda *_: None, lambda _: None)
    worker.prepare()
    plan = {"planned": worker._share.planned, "fingerprint": worker._share.fingerprint}
    master.hear(READY, "a", {"run": master.name, **plan, "uncertainty": 0.0})
    master.end()
    assert told[1:] == [(START, "a", {"run": master.name, "at": 50.0 + LEAD_SECONDS})]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"trace": ()}, "Replay: the class names no trace. Set trace."),
        ({"target": ReplaySettings.target}, "the class names no target. Give it a class method target()."),
        ({"load": Load(requests=10, part=9)}, "The trace has no request to send."),
    ],
)
def test_settings_that_send_nothing_are_one_line(tmp_path, settings, says):
    replay = settings_in(tmp_path, **settings)
    master = MastersRun(replay, [], lambda *_: None, lambda _: True)
    master.prepare()
    assert says in master.failures[0]
