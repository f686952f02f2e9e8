"""What the replay client sustains from one core, in CPU time, against a server that does nothing but stream."""

import asyncio
import multiprocessing
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from boto3.session import Session

from benchmarks.fleet_report import band
from warmroute.local.data import event_stream
from warmroute.measure.replay import Bodies, Load, NativeTarget, OpenAITarget, ReplayRun, Schedule, Sending, planned
from warmroute.traffic import TrafficRequest

RATE, SECONDS = 500, 10
TOKENS, SECONDS_PER_TOKEN = 16, 0.01
BODY = orjson.dumps(
    {"messages": [{"role": "system", "content": "Be brief. " * 400}, {"role": "user", "content": "Hi"}]}
)


def run() -> None:
    """500 streamed requests a second, of 16 tokens each: CPU time, and how late they were.

    The rate that one core sustains is what its CPU time allows; the lag is that of this machine as busy as it is.
    """
    print(f"Replay: {RATE} requests/s of {TOKENS} tokens for {SECONDS} s, CPU time of one core, load {_load()}")
    for name, make, in_event_stream in (("openai", _openai, False), ("native, signed", _native, True)):
        listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
        server = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(listener, in_event_stream), daemon=True
        )
        server.start()
        try:
            target = make(f"http://127.0.0.1:{listener.getsockname()[1]}")
            bodies = Bodies(Sending(), chat_only=True)
            schedule = Schedule(planned(_requests(), Load(rate=RATE, duration_seconds=SECONDS), bodies))
            with tempfile.TemporaryDirectory() as folder:
                cpu, wall = time.process_time(), time.perf_counter()
                summary = ReplayRun(schedule, target, Path(folder)).run().summary
                cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        finally:
            server.terminate()
            server.join()
        band(f"  {name}: answered, %", 100 * summary.answered / summary.planned, "100", 100, 100, form=".1f")
        band("    requests/s of CPU time", summary.planned / cpu, f"{RATE}", RATE, float("inf"), form=",.0f")
        band("    P99 send lag, ms", summary.send_lag.p99 * 1e3, "50", 0, 50, form=".1f")
        print(f"    CPU {cpu:.1f} s of {wall:.1f} s, load {_load()}")


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def _requests() -> Iterator[TrafficRequest]:
    for number in range(RATE * SECONDS * 2):
        yield TrafficRequest(source="bench", line=number + 1, body=BODY, text="", output_tokens=TOKENS)


def _openai(url: str) -> OpenAITarget:
    return OpenAITarget(f"{url}/v1")


def _native(url: str) -> NativeTarget:
    return NativeTarget(Session("key", "secret", region_name="us-east-1"), "bench", endpoint_url=url)


def _serve(listener: socket.socket, in_event_stream: bool) -> None:
    """A server on bare sockets, so that it needs less CPU time than its client."""
    wrap = event_stream.payload_part if in_event_stream else lambda data: data
    token = _chunk(wrap(_event({"choices": [{"index": 0, "delta": {"content": " the"}, "finish_reason": None}]})))
    usage = {"prompt_tokens": 1_000, "completion_tokens": TOKENS, "prompt_tokens_details": {"cached_tokens": 900}}
    end = _chunk(wrap(_event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")) + b"0\r\n\r\n"

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.transport, self.received, self.size = transport, bytearray(), 0

        def data_received(self, data: bytes) -> None:
            self.received += data
            if not self.size and (head := self.received.find(b"\r\n\r\n")) >= 0:
                lines = bytes(self.received[:head]).lower().split(b"\r\n")
                length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:"))
                self.size = head + 4 + length
            if self.size and len(self.received) >= self.size:
                del self.received[: self.size]
                self.size = 0
                self.transport.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                asyncio.get_running_loop().call_later(SECONDS_PER_TOKEN, self.step, 0)

        def step(self, sent: int) -> None:
            self.transport.write(token if sent < TOKENS else end)
            if sent < TOKENS:
                asyncio.get_running_loop().call_later(SECONDS_PER_TOKEN, self.step, sent + 1)

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Server, sock=listener)
        await server.serve_forever()

    asyncio.run(serve())


def _event(chunk: dict[str, Any]) -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "llama"}
    return b"data: " + orjson.dumps({**head, **chunk}) + b"\n\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
