"""Two vLLM servers behind the local endpoint, with boto3 and openai, judged by vLLM's own counters."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.request import urlopen

import openai
import pytest
from bearer import bearer_token
from botocore.exceptions import ClientError
from stand_in_servers import SIGNED, until

from warmroute.client import sagemaker as helpers
from warmroute.local import RunningLocally
from warmroute.measure.telemetry import JoinedObserver, local_observer, vllm_observer

COUNTERS = ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total", "vllm:request_success_total")


def _servers() -> dict[int, int]:
    """Port of each server, by its process."""
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    rows = [row for row in rows if "vllm.entrypoints.openai.api_server" in row[2] and "guard.py" not in row[2]]
    return {int(row[0]): int(row[2].rpartition("--port ")[2]) for row in rows if "--port " in row[2]}


def _metrics(port: int) -> dict[str, float]:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found = {name: re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.MULTILINE) for name in COUNTERS}
    running = re.findall(r"^vllm:num_requests_running(?:\{.*\})? (\S+)$", text, re.MULTILINE)
    return {name: sum(map(float, values)) for name, values in found.items()} | {"running": sum(map(float, running))}


def _added(what: Callable[[], object]) -> list[dict[str, float]]:
    """What each server's counters rise by."""
    before = {port: _metrics(port) for port in _servers().values()}
    what()
    after = {port: _metrics(port) for port in before}
    return [{name: after[port][name] - before[port][name] for name in COUNTERS} for port in before]


def _hit_rate(added: list[dict[str, float]]) -> float:
    queries = sum(each["vllm:prefix_cache_queries_total"] for each in added)
    return sum(each["vllm:prefix_cache_hits_total"] for each in added) / queries


def _chat(prefix: str, question: int, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": prefix}, {"role": "user", "content": f"Question {question}?"}]
    return {"messages": messages, "max_tokens": 4, **more}


def _prefix(name: str) -> str:
    return f"{name} " + "kubada relimo. " * 500


@pytest.fixture
def runtime(local: RunningLocally) -> Any:
    return helpers.install(local.session().client("sagemaker-runtime"))


def _served_by(answer: dict[str, Any]) -> str:
    return answer["ResponseMetadata"]["HTTPHeaders"]["x-warmroute-instance"]


def test_telemetry_is_what_the_servers_counted(local: RunningLocally, runtime: Any) -> None:
    from_servers = vllm_observer([f"http://127.0.0.1:{port}" for port in _servers().values()], concurrency_threshold=4)
    observers = JoinedObserver([from_servers]), JoinedObserver([local_observer(local.url, "bot")])

    def ask() -> None:
        for number in range(6):
            body = _chat(_prefix("telemetry"), number, stream=True)
            answer = runtime.invoke_endpoint_with_response_stream(
                EndpointName="bot", Body=body, ContentType="application/json"
            )
            assert list(answer["Body"])
        time.sleep(1.5)  # The local endpoint takes what servers tell for their latest for a second.

    for observer in observers:
        observer.begin()
    added = _added(ask)
    by_servers, by_endpoint = (observer.end() for observer in observers)

    for telemetry in (by_servers, by_endpoint):
        assert telemetry.requests == 6
        assert telemetry.hit_rate == pytest.approx(_hit_rate(added))
        assert telemetry.ttft is not None
        assert telemetry.ttft.count == 6
        assert telemetry.largest_share == 1
        assert set(telemetry.unavailable) == {"hit_rate_ceiling", "hit_rate_predicted"}
    assert by_servers.overflow is not None
    assert by_endpoint.overflow is not None
    assert by_endpoint.overflow.at_most == 0 <= by_servers.overflow.at_most


def test_one_beginning_is_found_in_one_server_s_cache(runtime: Any) -> None:
    served, cached = set(), []

    def ask() -> None:
        for number in range(6):
            answer = runtime.invoke_endpoint(EndpointName="bot", Body=_chat(_prefix("warm"), number))
            served.add(_served_by(answer))
            cached.append(json.loads(answer["Body"].read())["usage"]["prompt_tokens_details"])

    added = _added(ask)
    assert len(served) == 1
    assert sorted(each["vllm:request_success_total"] for each in added) == [0, 6]
    assert _hit_rate(added) > 0.75
    assert min(each["cached_tokens"] for each in cached[1:]) > 1_000


def test_openai_streams_with_usage(local: RunningLocally) -> None:
    with openai.OpenAI(base_url=f"{local.url}/endpoints/bot/openai/v1", api_key=bearer_token) as client:
        stream = client.chat.completions.create(
            model="", **_chat(_prefix("openai"), 1), stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    assert len(chunks) >= 3
    assert 1 <= chunks[-1].usage.completion_tokens <= 4


def test_vllm_s_refusal_is_a_model_error(runtime: Any) -> None:
    with pytest.raises(ClientError) as refused:
        runtime.invoke_endpoint(EndpointName="bot", Body=_chat("x", 1, temperature=-5))
    assert refused.value.response["Error"]["Code"] == "ModelError"
    assert refused.value.response["OriginalStatusCode"] == 400
    assert "temperature" in refused.value.response["OriginalMessage"]


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_cancels_vllm_s_request(local: RunningLocally, stream: bool) -> None:
    def running() -> float:
        return sum(_metrics(port)["running"] for port in _servers().values())

    connection = HTTPConnection("127.0.0.1", int(local.url.rpartition(":")[2]), timeout=120)
    body = json.dumps(_chat("long", 1, stream=stream) | {"max_tokens": 12_000, "ignore_eos": True})
    path = "/endpoints/bot/invocations" + ("-response-stream" if stream else "")
    connection.request("POST", path, body, {"Authorization": SIGNED, "Content-Type": "application/json"})
    until(lambda: running() == 1, "vLLM has the request")
    connection.close()
    began = time.monotonic()
    until(lambda: running() == 0, "vLLM gave it up")
    assert time.monotonic() - began < 20


def test_a_server_that_is_killed_is_started_again(runtime: Any) -> None:
    body = _chat(_prefix("killed"), 1)
    home = _served_by(runtime.invoke_endpoint(EndpointName="bot", Body=body))
    pids = _servers()

    def asked() -> None:
        runtime.invoke_endpoint(EndpointName="bot", Body=body)

    added = _added(asked)
    port = next(port for port, each in zip(pids.values(), added, strict=True) if each["vllm:request_success_total"])
    os.kill(next(pid for pid, its in pids.items() if its == port), signal.SIGKILL)
    until(lambda: _serves_elsewhere(runtime, body, home), "the other server takes over")
    until(lambda: _served_by(runtime.invoke_endpoint(EndpointName="bot", Body=body)) == home, "it is back", 400)
    assert len(_servers()) == 2


def _serves_elsewhere(runtime: Any, body: dict[str, Any], home: str) -> bool:
    try:
        return _served_by(runtime.invoke_endpoint(EndpointName="bot", Body=body)) != home
    except ClientError:
        return False
