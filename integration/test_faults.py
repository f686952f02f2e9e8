"""What goes wrong between a client and the local endpoint: no request is lost without an error to its caller."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, HTTPClientError
from stand_in_servers import SIGNED, seen, servers, spec_of, until
from urllib3.exceptions import ProtocolError

from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.local.session import local_session

PROMPT = "Every question about the product has its answer here. " * 30


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_locally(spec_of(3, threshold=1), speed=100, deployment_seconds=0) as running:
        yield running


@pytest.fixture
def runtime(local: RunningLocally) -> Iterator[Any]:
    client = local.session().client("sagemaker-runtime")
    yield client
    client.close()


def _body(number: int = 0, **more: Any) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": f"{number} {PROMPT}"}], **more}).encode()


def _request(body: bytes, path: str = "invocations", **headers: str) -> bytes:
    lengths = {} if headers else {"Content-Length": str(len(body))}
    named = {"Host": "localhost", "Authorization": SIGNED, "Content-Type": "application/json", **lengths, **headers}
    lines = [f"POST /endpoints/bot/{path} HTTP/1.1", *(f"{name.replace('_', '-')}: {named[name]}" for name in named)]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _connection(local: RunningLocally) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(local.url.rpartition(":")[2])), timeout=30)


def _read_until(connection: socket.socket, mark: bytes) -> bytes:
    """What comes until a mark or the end."""
    received = b""
    while mark not in received and (part := connection.recv(65_536)):
        received += part
    return received


def test_ten_thousand_requests_at_threshold_one_are_all_answered(local: RunningLocally) -> None:
    count, connections = 10_000, 32
    requests = [_request(_body(number, max_tokens=1)) for number in range(8)]
    statuses: Counter[bytes] = Counter()
    served: Counter[bytes] = Counter()
    overflows = 0

    async def ask(numbers: Iterator[int]) -> None:
        nonlocal overflows
        reader, writer = await asyncio.open_connection("127.0.0.1", int(local.url.rpartition(":")[2]))
        for number in numbers:
            writer.write(requests[number % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            answer = await reader.readexactly(int(re.search(rb"content-length: (\d+)", head)[1]))
            assert re.search(rb'"completion_tokens": ?1\b', answer)
            statuses[head[9:12]] += 1
            served[re.search(rb"x-warmroute-instance: (\S+)", head)[1]] += 1
            overflows += b"x-warmroute-overflow" in head
        writer.close()
        await writer.wait_closed()

    async def ask_all() -> None:
        numbers = iter(range(count))
        await asyncio.gather(*(ask(numbers) for _ in range(connections)))

    asyncio.run(ask_all())
    assert statuses == {b"200": count}
    assert len(served) == 3
    assert 0 < overflows < count


def test_a_client_that_does_not_read_holds_up_nobody_else(local: RunningLocally, runtime: Any) -> None:
    with _connection(local) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.sendall(_request(_body(1, max_tokens=500_000, stream=True), "invocations-response-stream"))
        slow.recv(16)  # It has begun, and no more of it is taken.
        begun = time.monotonic()
        for number in range(20):
            runtime.invoke_endpoint(EndpointName="bot", Body=_body(number, max_tokens=1))["Body"].read()
        assert time.monotonic() - begun < 20
    until(lambda: not _overflows(runtime, 1), "its place is free again")


def _overflows(runtime: Any, number: int) -> bool:
    answer = runtime.invoke_endpoint(EndpointName="bot", Body=_body(number, max_tokens=1))
    answer["Body"].read()
    return "x-warmroute-overflow" in answer["ResponseMetadata"]["HTTPHeaders"]


def test_a_client_that_sends_slowly_is_answered_and_takes_no_place_meanwhile(
    local: RunningLocally, runtime: Any
) -> None:
    whole = _request(_body(2, max_tokens=1))
    with _connection(local) as slow:
        slow.sendall(whole[:-400])
        assert not any(_overflows(runtime, 2) for _ in range(5))
        for start in range(len(whole) - 400, len(whole), 50):
            slow.sendall(whole[start : start + 50])
            time.sleep(0.01)
        assert _read_until(slow, b"}}").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00 a TLS client\r\n\r\n",
        b"POST\r\n\r\n",
        _request(b"{}", Content_Length="many"),
        _request(b"not hexadecimal\r\n", Transfer_Encoding="chunked"),
        _request(b"{" * 5_000),
        _request(b'{"messages": [{"role": "user", "content": "\xff\xfe"}]}'),
        _request(b'{"messages": "text", "max_tokens": 1}'),
    ],
    ids=["TLS", "no path", "length", "chunks", "depth", "not UTF-8", "not messages"],
)
def test_what_is_malformed_is_refused_and_harms_nobody(local: RunningLocally, runtime: Any, sent: bytes) -> None:
    with _connection(local) as client:
        client.sendall(sent)
        answer = _read_until(client, b"\r\n\r\n")

    assert re.match(rb"HTTP/1\.1 (400|424) ", answer)
    assert not _overflows(runtime, 3)


def test_a_body_without_a_length_is_refused_once_it_is_too_large(local: RunningLocally, runtime: Any) -> None:
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    with _connection(local) as client:
        client.sendall(_request(b"", Transfer_Encoding="chunked"))
        for _ in range(97):  # 96 of them are the limit.
            client.sendall(chunk)
        answer = _read_until(client, b"}")

    assert answer.startswith(b"HTTP/1.1 400")
    assert b"6291456 bytes" in answer
    assert not _overflows(runtime, 3)


def test_requests_in_a_container_that_dies_are_errors_of_their_callers(tmp_path: Path) -> None:
    with (
        servers(tmp_path, 1) as (url,),
        running_locally(spec_of(1, threshold=8), engines=EngineSettings(EngineKind.URL, (url,))) as local,
        ThreadPoolExecutor(8) as pool,
    ):
        client = local.session().client("sagemaker-runtime")

        def ask(number: int) -> int:
            try:
                client.invoke_endpoint(EndpointName="bot", Body=_body(number, max_tokens=9, delay=30))
            except ClientError as error:
                return error.response["OriginalStatusCode"]
            return 200

        asked = [pool.submit(ask, number) for number in range(8)]
        until(lambda: (seen(url) or {}).get("begun") == 8, "the container has them all")
        os.kill(seen(url)["pid"], signal.SIGKILL)
        assert [each.result(timeout=30) for each in asked] == [0] * 8


def test_a_stop_lets_streams_end_and_tells_those_that_it_cuts_off(tmp_path: Path) -> None:
    spec = tmp_path / "endpoint.json"
    spec.write_text(json.dumps(spec_of(2, threshold=4).model_dump(mode="json", exclude_none=True)), encoding="utf-8")
    command = [sys.executable, "-m", "warmroute", "local", str(spec), "--port", "0", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        client = local_session(json.loads(process.stdout.readline())["url"], "us-east-1").client("sagemaker-runtime")
        # A token takes some 20 ms: one stream ends in the time that is left after the signal, the other does not.
        lengths = {"short": 40, "long": 100_000}
        streams = {
            name: client.invoke_endpoint_with_response_stream(
                EndpointName="bot", Body=_body(max_tokens=length, stream=True)
            )["Body"]
            for name, length in lengths.items()
        }
        parts = {name: iter(stream) for name, stream in streams.items()}
        for each in parts.values():
            assert next(each)
        ended: dict[str, Any] = {}

        def read(name: str) -> None:
            last = b""
            try:
                for part in parts[name]:
                    last = part["PayloadPart"]["Bytes"]
                ended[name] = last
            except (HTTPClientError, ProtocolError) as error:
                ended[name] = error

        readers = [threading.Thread(target=read, args=(name,)) for name in parts]
        for reader in readers:
            reader.start()
        process.send_signal(signal.SIGTERM)
        for reader in readers:
            reader.join(30)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""
    assert ended["short"].endswith(b"data: [DONE]\n\n")
    assert isinstance(ended["long"], HTTPClientError | ProtocolError), ended["long"]
