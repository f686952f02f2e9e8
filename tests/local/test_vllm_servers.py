"""vLLM servers as they are started, watched, started again and ended; a shell is the program, and this process answers.

The program takes its port and waits. What vLLM would listen on there is listened on here: a port that is held is free
for whoever names it.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from warmroute.local.engines import INVOCATIONS, ContainerRefusal, ContainerRequest, EngineStartError
from warmroute.local.engines.forwarding import read_if_weighed
from warmroute.local.engines.vllm import VllmEngines, engines, process
from warmroute.local.engines.vllm.ports import HeldPort
from warmroute.local.engines.vllm.process import MAX_START_RETRIES, ServerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere a port cannot be held for somebody else.")

WAITS = "exec sleep 600"
CHAT = b'{"messages": [{"role": "user", "content": "%s"}]}' % (b"A handbook. " * 40)


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class Pinged(BaseHTTPRequestHandler):
    """Answers 200 to GET /ping, and 404 elsewhere."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/ping" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Watched:
    """One server process, and what is said of it."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self.said: list[str] = []
        self.process: ServerProcess | None = None

    def run(self, does: str, **environment: str) -> ServerProcess:
        self.process = ServerProcess("main-1", ["sh", "-c", does], environment, self._log, self.said.append)
        return self.process

    def until(self, what: Callable[[], Any]) -> Any:
        """Look after it until something is so."""
        for _ in range(6_000):
            self.process.look()
            if found := what():
                return found
            threading.Event().wait(0.01)
        raise AssertionError(self.said)

    def answering(self) -> HTTPServer:
        """A server on its port that answers its pings in a thread."""
        server = HTTPServer(("127.0.0.1", port_of(self.process.url)), Pinged)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        return server

    def gives_up(self) -> str:
        """Why it does."""
        with pytest.raises(EngineStartError) as never:
            self.until(lambda: self.process.in_service)
        return str(never.value)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def stop(server: HTTPServer) -> None:
    server.shutdown()
    server.server_close()


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setattr(process, "_PAUSE_SECONDS", 0.0)
    one = Watched(tmp_path)
    yield one
    if one.process is not None:
        one.process.end()
        one.process.wait()


def test_a_server_is_in_service_from_its_first_ping_until_it_is_ended(watched):
    server = watched.run(WAITS)
    assert not server.in_service
    watched.until(lambda: server.starts == 1)
    assert not server.in_service

    answering = watched.answering()
    watched.until(lambda: server.in_service)
    stop(answering)
    server.look()
    assert server.in_service  # While it runs, it is asked no more.

    server.end()
    assert not server.in_service
    server.wait()
    assert watched.said[0] == "main-1: starting"
    assert watched.said[1].startswith("main-1: in service after ")


def test_a_server_that_does_not_find_what_it_pings_is_not_in_service(watched, monkeypatch):
    monkeypatch.setattr(Pinged, "do_GET", lambda self: self.send_error(503))
    server = watched.run(WAITS)
    watched.until(lambda: server.starts == 1)
    answering = watched.answering()
    for _ in range(3):
        server.look()
        assert not server.in_service
    stop(answering)


def test_a_server_that_never_answers_is_started_three_more_times_and_given_up_with_its_last_words(watched):
    server = watched.run("for n in 1 2 3 4 5 6; do echo $n; done; echo The model cannot be loaded. >&2; exit 3")

    assert watched.gives_up() == (
        f"The server of main-1 ended with exit code 3 before it answered. The end of {watched._log}:\n"
        "3\n4\n5\n6\nThe model cannot be loaded."
    )
    assert watched.said == [
        "main-1: starting",
        *("main-1: ended with exit code 3", "main-1: starting again") * 3,
        "main-1: given up",
    ]
    server.look()
    assert server.starts == 4


def test_a_server_that_has_answered_once_is_started_again_however_often_it_ends(watched):
    server = watched.run(WAITS)
    for start in range(1, 7):
        watched.until(lambda start=start: server.starts == start)
        answering = watched.answering()
        watched.until(lambda: server.in_service)
        server._process.end()
        watched.until(lambda: not server.in_service)
        stop(answering)
    assert "main-1: given up" not in watched.said
    assert watched.said.count("main-1: ended with exit code 143") == 6


def test_starts_that_failed_before_an_answer_are_forgotten_with_it(watched, tmp_path):
    starts = tmp_path / "starts"
    server = watched.run(f"echo >>{starts}; [ $(wc -l <{starts}) -ne 4 ] || {WAITS}; exit 1")
    watched.until(lambda: starts.exists() and len(starts.read_bytes()) == 4)
    answering = watched.answering()
    watched.until(lambda: server.in_service)
    stop(answering)
    server._process.end()
    watched.until(lambda: not server.in_service)

    watched.gives_up()
    assert server.starts == 4 + 1 + MAX_START_RETRIES


def test_a_server_that_takes_too_long_is_ended_and_given_up(watched, monkeypatch):
    monkeypatch.setattr(process, "START_SECONDS", 0.0)
    server = watched.run("echo Loading...; exec sleep 600")
    watched.until(lambda: server.starts == 1)
    assert watched.gives_up().startswith("The server of main-1 did not answer within 0 seconds. The end of ")
    server.wait()
    assert server._process.exit_code is not None


def test_a_program_that_cannot_be_started_is_given_up_at_once(watched):
    server = watched.run(WAITS, TOO_LONG="x" * 200_000)  # More than Linux takes for one variable.
    assert "The server of main-1 cannot be started: Argument list too long." in watched.gives_up()
    assert server.starts == 1


def test_a_pause_lies_between_the_end_of_a_server_and_its_next_start(watched, monkeypatch):
    monkeypatch.setattr(process, "_PAUSE_SECONDS", 3_600.0)
    server = watched.run("exit 1")
    watched.until(lambda: "main-1: ended with exit code 1" in watched.said)
    for _ in range(3):
        server.look()
    assert server.starts == 1


def test_a_port_is_held_until_its_server_serves_and_each_start_has_one_of_its_own(watched):
    server = watched.run(WAITS)
    watched.until(lambda: server.starts == 1)
    port = port_of(server.url)
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    answering = watched.answering()
    watched.until(lambda: server.in_service)
    server._process.end()
    watched.until(lambda: server.starts == 2)
    assert port_of(server.url) != port  # Somebody still listens on the first.
    stop(answering)


def test_held_ports_differ_and_are_free_again_once_let_go():
    held = [HeldPort() for _ in range(20)]
    ports = {each.hold() for each in held}
    assert len(ports) == 20
    for each in held:
        each.let_go()
        each.let_go()
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()


@asynccontextmanager
async def listening(url: str, answer: Any) -> Any:
    """A server where an engine's program would listen."""
    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port_of(url), reuse_address=True).start()
        yield
    finally:
        await runner.cleanup()


async def soon(what: Callable[[], Any]) -> Any:
    for _ in range(6_000):
        if found := what():
            return found
        await asyncio.sleep(0.01)
    raise AssertionError("It never was so.")


async def answer(request: web.BaseRequest) -> web.Response:
    pages = {
        "/ping": "",
        "/metrics": "vllm:num_requests_waiting 3\n",
        "/version": '{"version": "0.30.0"}',
        INVOCATIONS: "an answer",
    }
    return web.Response(text=pages[request.path])


MODEL = {"SM_VLLM_MODEL": "some/model"}


def run(work: Callable[[VllmEngines], Any], monkeypatch: pytest.MonkeyPatch, does: str = WAITS, **options: Any) -> Any:
    """What a coroutine makes of engines whose program is a shell; they are closed after it."""
    monkeypatch.setattr(engines, "_LOOKING_SECONDS", 0.01)
    monkeypatch.setattr(process, "_PAUSE_SECONDS", 0.0)

    async def main() -> Any:
        source = VllmEngines(Path("/bin/sh"), server=("-c", does, "vllm"), **options)
        try:
            return await asyncio.wait_for(work(source), 60)
        finally:
            await source.close()

    return asyncio.run(main())


async def whole(engine: Any, request: ContainerRequest) -> bytes:
    coming = await engine.answer(request)
    body = b"".join([part async for part in coming])
    await coming.close()
    return body


def test_a_program_has_the_arguments_and_variables_of_its_container_and_not_those_of_this_python(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/mine")
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "4")
    variables = ("HF_TOKEN", "PYTHONPATH", "VLLM_CPU_KVCACHE_SPACE", "VLLM_NO_USAGE_STATS")
    shown = ",".join(f"${{{name}-none}}" for name in variables)
    told = tmp_path / "told"

    async def work(source):
        source.start("main-0", 0, {**MODEL, "HF_TOKEN": "secret", "SM_VLLM_BLOCK_SIZE": "16"})
        return await soon(
            lambda: told.exists() and told.read_text("utf-8").endswith("end\n") and told.read_text("utf-8")
        )

    does = f'{{ echo "$@"; echo "{shown}"; echo end; }} >{told}; {WAITS}'
    arguments, environment, _ = run(work, monkeypatch, does, changes=("block-size=32",)).splitlines()

    given, _, port = arguments.rpartition(" ")
    assert given == "--block-size 32 --model some/model --host 127.0.0.1 --port"
    assert 0 < int(port) < 65_536
    assert environment == "secret,none,4,1"


def test_an_engine_serves_once_its_server_answers(monkeypatch):
    said: list[str] = []

    async def work(source):
        assert source.most is None
        engine = source.start("main-0", 0, MODEL)
        assert not engine.in_service
        async with listening(await soon(lambda: engine.process.url), answer):
            await soon(lambda: engine.in_service)
            counts = await engine.counts()
            return await whole(engine, ContainerRequest(INVOCATIONS, CHAT)), counts.waiting, counts.software

    assert run(work, monkeypatch, say=said.append) == (b"an answer", 3, "vLLM 0.30.0")
    assert [line.partition(" after")[0] for line in said] == ["main-0: starting", "main-0: in service"]


def test_a_server_that_starts_anew_has_forgotten_every_prompt(monkeypatch):
    async def work(source):
        request = await source.read(ContainerRequest(INVOCATIONS, CHAT), weighs_caches=True)
        assert request == await read_if_weighed(ContainerRequest(INVOCATIONS, CHAT), weighs_caches=True)
        engine = source.start("main-0", 0, MODEL)
        known = []
        for start in (1, 2):
            await soon(lambda start=start: engine.process.starts == start and engine.process._process)
            async with listening(engine.process.url, answer):
                await soon(lambda: engine.in_service)
                await engine.counts()
                known.append(engine.cached_tokens(request.prompt))
                await whole(engine, request)
                known.append(engine.cached_tokens(request.prompt))
            engine.process._process.end()
        return known

    first, sent, again, sent_again = run(work, monkeypatch)
    assert first == again == 0
    assert sent == sent_again > 0


def test_an_instance_that_is_gone_ends_its_server_once_it_has_answered(monkeypatch):
    go_on = asyncio.Event()

    async def slow(request):
        if request.path == INVOCATIONS:
            await go_on.wait()
        return await answer(request)

    async def work(source):
        engine = source.start("main-0", 0, MODEL)
        async with listening(await soon(lambda: engine.process.url), slow):
            await soon(lambda: engine.in_service)
            asking = asyncio.create_task(whole(engine, ContainerRequest(INVOCATIONS, CHAT)))
            await soon(lambda: engine._forwarding.active)
            engine.release()
            assert not engine.is_over
            assert engine.process._process.exit_code is None
            go_on.set()
            assert await asking == b"an answer"
            await soon(lambda: engine.process._process.exit_code is not None)
            with pytest.raises(EngineStartError):
                source.start("main-1", 1, {})

    run(work, monkeypatch)


def test_a_server_that_never_answers_makes_its_engine_refuse(monkeypatch):
    async def work(source):
        engine = source.start("main-0", 0, MODEL)
        with pytest.raises(EngineStartError, match=r"main-0 ended with exit code 4 before it answered"):
            await soon(lambda: engine.in_service)
        with pytest.raises(ContainerRefusal, match="does not answer"):
            await engine.answer(ContainerRequest(INVOCATIONS, CHAT))

    run(work, monkeypatch, "exit 4")


def test_every_server_has_ended_once_the_engines_are_closed(monkeypatch):
    async def work(source):
        started = [source.start(f"main-{number}", number, MODEL) for number in range(2)]
        await soon(lambda: all(engine.process._process for engine in started))
        return started

    assert all(engine.process._process.exit_code is not None for engine in run(work, monkeypatch))


def test_what_a_server_has_said_stays_only_where_a_message_names_it(temporary_files, monkeypatch):
    def kept(*wants: str) -> list[tuple[str, str]]:
        async def work(source):
            for number, want in enumerate(wants):
                engine = source.start(f"main-{number}", number, {**MODEL, "WANT": want})
                await soon(partial(getattr, engine.process, "_failure" if want else "_process"))

        run(work, monkeypatch, f'echo "$WANT"; [ -z "$WANT" ] || exit 4; {WAITS}')
        return [(path.name, path.read_text("utf-8")) for path in temporary_files.rglob("*.log")]

    assert kept("") == []
    assert list(temporary_files.iterdir()) == []
    assert kept("", "fail") == [("main-1.log", "fail\n" * (1 + MAX_START_RETRIES))]
