"""What the local endpoint's data plane adds to an engine that answers at once: latency, CPU time, memory of streams."""

import asyncio
import multiprocessing
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from benchmarks.fleet_report import band
from warmroute.hosting import EndpointSpec
from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally

BODY = orjson.dumps({"messages": [{"role": "system", "content": "x" * 8_000}, {"role": "user", "content": "Hi"}]})
STREAMED = orjson.dumps({**orjson.loads(BODY), "stream": True})
ANSWER = orjson.dumps({"choices": [{"index": 0, "message": {"content": "Yes."}, "finish_reason": "stop"}]})
CHUNK = b'data: {"choices": [{"index": 0, "delta": {"content": " the"}, "finish_reason": null}]}\n\n'
CHUNKS, SECONDS_PER_CHUNK = 20, 0.1
SIGNED = "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/sagemaker/aws4_request, SignedHeaders=host, Signature=0"
CALLS, ROUNDS, CONNECTIONS, STREAMS = 150, 12, 32, 500
AWS_MILLISECONDS = "1.3 to 1.9"
"""What SageMaker's own routing adds. Source: AWS's announcement of prefix-aware routing."""


def run() -> None:
    """Calls of one connection in turn with others that go to the engine; requests for CPU time; memory of streams."""
    print(f"Data plane: body of {len(BODY):,} bytes, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with _engine() as engine, _local(engine) as local, _nginx(engine) as nginx, _sglang_router(engine) as router:
        path = "/endpoints/bot/invocations"
        sides = {"engine": _caller(engine, "/invocations"), "local endpoint": _caller(local.url, path)}
        sides |= {"nginx": _caller(nginx, "/invocations")} if nginx else {}
        sides |= {"sglang-router": _caller(router, "/v1/chat/completions")} if router else {}
        direct, *others = _latencies(sides).items()
        for name, times in others:
            goals = (0.8, 3.0) if name == "local endpoint" else (float("inf"), float("inf"))
            for percent, goal in zip((50, 99), goals, strict=True):
                added = 1e3 * (_percentile(times, percent) - _percentile(direct[1], percent))
                band(f"  {name}: P{percent} added, ms", added, AWS_MILLISECONDS, 0, goal, form=".2f")
        for name in {"nginx", "sglang-router"} - sides.keys():
            print(f"  {name} is not installed, so it is not beside")
        process = _listener(local.url)
        asyncio.run(_requests(local.url, path, BODY, 400))
        before, count = _cpu_seconds(process), 4_000
        asyncio.run(_requests(local.url, path, BODY, count))
        rate = count / (_cpu_seconds(process) - before)
        band(f"  requests/s of CPU time, {CONNECTIONS} connections", rate, "2,000", 2_000, float("inf"), form=",.0f")
        path += "-response-stream"
        resident = []
        for _ in range(3):
            asyncio.run(_requests(local.url, path, STREAMED, STREAMS, connections=STREAMS))
            resident.append(_resident_megabytes(process))
        growth = resident[-1] - resident[0]
        band(f"  MB more after {STREAMS} streams three times", growth, "0", float("-inf"), 8, form=".1f")


def _latencies(sides: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Seconds of each call, the sides in turn so that all meet the same load; the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(ROUNDS):
        for name, call in sides.items():
            found = [call() for _ in range(CALLS)]
            times[name] += found if number else []
    return times


def _percentile(times: list[float], percent: int) -> float:
    return statistics.quantiles(times, n=100)[percent - 1]


def _caller(url: str, path: str) -> Callable[[], float]:
    """One call over a connection that is kept."""
    where = urlsplit(url)
    connection = HTTPConnection(where.hostname or "", where.port)
    headers = {"Authorization": SIGNED, "Content-Type": "application/json"}

    def call() -> float:
        began = time.perf_counter()
        connection.request("POST", path, BODY, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        return time.perf_counter() - began

    return call


async def _requests(url: str, path: str, body: bytes, count: int, *, connections: int = CONNECTIONS) -> None:
    """So many requests, each connection with one at a time."""
    where = urlsplit(url)
    head = f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: {SIGNED}\r\n"
    sent = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    async def one_connection() -> None:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        for _ in range(count // connections):
            writer.write(sent)
            headers = await reader.readuntil(b"\r\n\r\n")
            assert headers.startswith(b"HTTP/1.1 200"), headers
            if b"chunked" in headers.lower():
                while (size := int(await reader.readline(), 16)) or not await reader.readexactly(2):
                    await reader.readexactly(size + 2)
            else:
                line = next(line for line in headers.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(line.partition(b":")[2]))
        writer.close()

    await asyncio.gather(*(one_connection() for _ in range(connections)))


@contextmanager
def _engine() -> Iterator[str]:
    """The address of an engine that needs no time."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(listener,), daemon=True)
    server.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.terminate()
        server.join()


def _serve(listener: socket.socket) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER
    streamed = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK)
    end = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"

    class Engine(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.transport, self.received = transport, bytearray()

        def data_received(self, data: bytes) -> None:
            self.received += data
            head = self.received.find(b"\r\n\r\n")
            if head < 0:
                return
            lines = bytes(self.received[:head]).lower().split(b"\r\n")
            length = next((int(one.partition(b":")[2]) for one in lines if one.startswith(b"content-length:")), 0)
            if len(self.received) < head + 4 + length:
                return
            body = bytes(self.received[head + 4 : head + 4 + length])
            del self.received[: head + 4 + length]
            if b'"stream":true' in body:
                self.transport.write(streamed)
                self.step(0)
            else:
                self.transport.write(answer)

        def step(self, sent: int) -> None:
            self.transport.write(chunk if sent < CHUNKS else end)
            if sent < CHUNKS:
                asyncio.get_running_loop().call_later(SECONDS_PER_CHUNK, self.step, sent + 1)

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Engine, sock=listener)
        await server.serve_forever()

    asyncio.run(serve())


@contextmanager
def _local(engine: str) -> Iterator[RunningLocally]:
    routing = {"prefix_length": 4_096, "concurrency_threshold": 1_024}
    variant = {"name": "main", "model_name": "m", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 1}
    spec = EndpointSpec.parse(
        {
            "name": "bot",
            "region": "us-east-1",
            "execution_role_arn": "arn:aws:iam::123456789012:role/exec",
            "models": {"m": {"source": {"hugging_face": "some/model"}}},
            "variants": [
                {
                    **variant,
                    "routing_config": {"routing_strategy": "PREFIX_AWARE", "prefix_aware_routing_config": routing},
                }
            ],
        }
    )
    with running_locally(spec, deployment_seconds=0, engines=EngineSettings(EngineKind.URL, (engine,))) as local:
        yield local


@contextmanager
def _nginx(engine: str) -> Iterator[str]:
    """The address of a bare reverse proxy; empty where nginx is not installed."""
    if not (command := shutil.which("nginx")):
        yield ""
        return
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "nginx.conf")
        file.write_text(
            f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};\n"
            f"upstream engine {{ server {urlsplit(engine).netloc}; keepalive 64; }}\n"
            f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://engine; proxy_http_version 1.1;\n"
            'proxy_set_header Connection ""; client_body_buffer_size 64k; } } }\n',
            encoding="utf-8",
        )
        with _running([command, "-p", folder, "-c", str(file)], port):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def _sglang_router(engine: str) -> Iterator[str]:
    """The address of sglang-router; empty where SGLANG_ROUTER_PYTHON names no Python that has it."""
    if not (python := os.environ.get("SGLANG_ROUTER_PYTHON")):
        yield ""
        return
    port = _free_port()
    command = [python, "-m", "sglang_router.launch_router", "--worker-urls", engine, "--policy", "cache_aware"]
    with _running([*command, "--host", "127.0.0.1", "--port", str(port)], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{command[0]} does not start.")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                time.sleep(0.1)
            else:
                break
        yield
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _listener(url: str) -> int:
    """The process that serves a URL."""
    inode = f":{urlsplit(url).port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    socket_of = next(f"socket:[{row[9]}]" for row in rows if row[1].endswith(inode) and row[3] == "0A")
    for folder in Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(str(file.readlink()) == socket_of for file in folder.iterdir()):
                return int(folder.parent.name)
        except OSError:
            continue
    sys.exit(f"No process listens at {url}.")


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_megabytes(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
