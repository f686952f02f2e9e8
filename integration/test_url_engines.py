"""Requests through the local endpoint to servers that run already, with real clients."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import openai
import pytest
from bearer import bearer_token
from botocore.exceptions import ClientError, EventStreamError
from stand_in_servers import SIGNED, seen, servers, spec_of, until

from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 40


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    with servers(tmp_path_factory.mktemp("python"), 3) as started:
        yield started


@pytest.fixture(scope="module")
def local(urls: list[str]) -> Iterator[RunningLocally]:
    with running_locally(spec_of(3), engines=EngineSettings(EngineKind.URL, tuple(urls))) as running:
        yield running


@pytest.fixture(scope="module")
def runtime(local: RunningLocally) -> Any:
    return local.session().client("sagemaker-runtime")


@pytest.fixture
def chat(local: RunningLocally) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{local.url}/endpoints/bot/openai/v1", api_key=bearer_token, max_retries=0) as client:
        yield client


def _body(number: int = 0, **more: Any) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": f"{number} {LONG}"}], **more}).encode()


def _headers(response: dict[str, Any]) -> dict[str, str]:
    return response["ResponseMetadata"]["HTTPHeaders"]


def _total(urls: list[str], what: str) -> int:
    return sum((seen(url) or {what: 0})[what] for url in urls)


def test_requests_of_one_beginning_meet_one_server(runtime: Any, urls: list[str]) -> None:
    def served(number: int) -> str:
        return _headers(_ask(runtime, number))["x-warmroute-instance"]

    assert len({served(0) for _ in range(6)}) == 1
    assert len({served(number) for number in range(30)}) == 3
    for url in urls:
        bodies = [request["body"] for request in seen(url)["requests"]]
        assert len(bodies) >= 3


def test_body_and_api_headers_reach_the_container_and_no_others(runtime: Any, urls: list[str]) -> None:
    body = b'{"messages":[],  "marker": 1}'
    request = {
        "EndpointName": "bot",
        "Body": body,
        "ContentType": "application/json",
        "Accept": "text/plain",
        "CustomAttributes": "trace=1",
    }
    answer = runtime.invoke_endpoint(**request)

    arrived = [each for url in urls for each in seen(url)["requests"] if each["body"] == body.decode()]
    assert len(arrived) == 1
    assert arrived[0]["path"] == "/invocations"
    sagemaker = {"content-type", "accept", "x-amzn-sagemaker-custom-attributes"}
    assert set(arrived[0]["headers"]) == {*sagemaker, "host", "content-length"}
    assert arrived[0]["headers"]["accept"] == "text/plain"
    assert answer["CustomAttributes"] == "from=container"
    assert "x-secret" not in _headers(answer)
    assert answer["ContentType"] == "application/json"
    assert answer["Body"].read() == b'{"choices": []}'


@pytest.mark.parametrize("status", [400, 404, 422, 500, 503])
def test_an_error_of_the_container_is_a_model_error(runtime: Any, chat: openai.OpenAI, status: int) -> None:
    for operation in (runtime.invoke_endpoint, runtime.invoke_endpoint_with_response_stream):
        with pytest.raises(ClientError) as refused:
            operation(EndpointName="bot", Body=_body(status=status, stream=True))
        assert refused.value.response["Error"]["Code"] == "ModelError"
        assert refused.value.response["OriginalStatusCode"] == status
        assert json.loads(refused.value.response["OriginalMessage"]) == {"error": "as asked"}
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 424
    with pytest.raises(openai.APIStatusError) as refused:
        chat.chat.completions.create(model="", messages=[], extra_body={"status": status})
    assert refused.value.status_code == 424


def test_a_stream_comes_as_it_is_made(runtime: Any, chat: openai.OpenAI, urls: list[str]) -> None:
    body = _body(max_tokens=4, delay=0.5, stream=True)
    ended = _total(urls, "ended")
    response = runtime.invoke_endpoint_with_response_stream(EndpointName="bot", Body=body)
    parts = iter(response["Body"])
    first = next(parts)["PayloadPart"]["Bytes"]
    assert _total(urls, "ended") == ended
    assert response["ContentType"].startswith("text/event-stream")
    whole = first + b"".join(part["PayloadPart"]["Bytes"] for part in parts)
    assert whole.count(b"data: {") == 4
    assert whole.endswith(b"data: [DONE]\n\n")

    ended = _total(urls, "ended")
    stream = chat.chat.completions.create(model="", messages=[], max_tokens=4, stream=True, extra_body={"delay": 0.5})
    assert next(stream).choices[0].delta.content == "0 "
    assert _total(urls, "ended") == ended
    assert len(list(stream)) == 3


@pytest.mark.parametrize(
    ("path", "stream"), [("invocations", False), ("invocations-response-stream", True), ("openai", True)]
)
def test_a_client_that_goes_away_cancels_the_container_s_request(
    local: RunningLocally, runtime: Any, urls: list[str], path: str, stream: bool
) -> None:
    given_up, begun = _total(urls, "given_up"), _total(urls, "begun")
    connection = HTTPConnection("127.0.0.1", int(local.url.rpartition(":")[2]), timeout=60)
    where = "openai/v1/chat/completions" if path == "openai" else path
    credentials = f"Bearer {bearer_token()}" if path == "openai" else SIGNED
    body = _body(1, max_tokens=10_000, delay=0.05, stream=stream)
    connection.request("POST", f"/endpoints/bot/{where}", body, {"Authorization": credentials})
    if stream:
        assert connection.getresponse().read(10)
    else:
        until(lambda: _total(urls, "begun") > begun, "the container has the request")
    connection.close()

    until(lambda: _total(urls, "given_up") == given_up + 1, "the container gives the request up")
    # The threshold is 1: an instance that still counted it would send the next request elsewhere.
    until(lambda: "x-warmroute-overflow" not in _headers(_ask(runtime, 1)), "the instance counts it no longer")


def _ask(runtime: Any, number: int) -> dict[str, Any]:
    answer = runtime.invoke_endpoint(EndpointName="bot", Body=_body(number))
    answer["Body"].read()  # One that is not read keeps its connection.
    return answer


def test_a_busy_server_s_requests_go_elsewhere(runtime: Any) -> None:
    body = _body(7, max_tokens=20, delay=0.2, stream=True)
    busy = runtime.invoke_endpoint_with_response_stream(EndpointName="bot", Body=body)
    beside = _headers(_ask(runtime, 7))

    assert beside["x-warmroute-overflow"] == _headers(busy)["x-warmroute-instance"]
    assert beside["x-warmroute-instance"] != _headers(busy)["x-warmroute-instance"]
    busy["Body"].close()


def test_a_container_that_dies_ends_its_streams_with_an_error_and_no_other(tmp_path: Path) -> None:
    with (
        servers(tmp_path, 2) as urls,
        running_locally(spec_of(2), engines=EngineSettings(EngineKind.URL, tuple(urls))) as local,
        openai.OpenAI(base_url=f"{local.url}/endpoints/bot/openai/v1", api_key=bearer_token, max_retries=0) as chat,
    ):
        runtime = local.session().client("sagemaker-runtime")
        homes = {number: _headers(_ask(runtime, number))["x-warmroute-instance"] for number in range(12)}
        mine = 0
        other = next(number for number, home in homes.items() if home != homes[mine])
        body = _body(other, max_tokens=30, delay=0.1, stream=True)
        beside = runtime.invoke_endpoint_with_response_stream(EndpointName="bot", Body=body)
        dying = runtime.invoke_endpoint_with_response_stream(
            EndpointName="bot", Body=_body(mine, max_tokens=9, die_after=2, stream=True)
        )
        parts = []
        with pytest.raises(EventStreamError, match=r"ModelStreamError.*broke its answer off"):
            parts.extend(part["PayloadPart"]["Bytes"] for part in dying["Body"])
        dying["Body"].close()
        assert b"".join(parts).count(b"data: {") == 2
        assert b"".join(part["PayloadPart"]["Bytes"] for part in beside["Body"]).endswith(b"[DONE]\n\n")

        with pytest.raises(ClientError) as refused:
            _ask(runtime, mine)
        assert refused.value.response["OriginalStatusCode"] == 0

        stream = _stream_that_dies(chat)
        with pytest.raises(openai.APIError, match="broke its answer off"):
            list(stream)


def _stream_that_dies(chat: openai.OpenAI) -> Any:
    """A stream of whichever server is left."""
    for number in range(20):
        messages: list[Any] = json.loads(_body(number))["messages"]
        with contextlib.suppress(openai.APIStatusError):
            return chat.chat.completions.create(
                model="", messages=messages, stream=True, max_tokens=9, extra_body={"die_after": 2}
            )
    raise AssertionError("No server is left.")


def test_what_does_not_answer_is_one_line(warmroute: Any, spec: Path) -> None:
    for options, says in (
        (("--engine", "url", "--engine-url", "http://127.0.0.1:9"), "Engine http://127.0.0.1:9 does not answer"),
        (("--engine", "url", "--engine-url", "nothing"), "Engine nothing is no address of a server."),
        (("--engine", "url"), "--engine url needs the servers."),
        (("--engine-url", "http://127.0.0.1:9"), "--engine-url is for --engine url, and --engine is simulated."),
        (("--engine", "best"), "--engine best: there is no such engine. Use simulated, url, vllm."),
        (("--engine", "vllm", "--vllm-python", "/nonexistent"), "Interpreter /nonexistent cannot be run."),
    ):
        ran = warmroute("local", str(spec), "--port", "0", *options)
        assert ran.returncode == 1
        assert ran.stderr.startswith(says)
        assert "Traceback" not in ran.stderr
