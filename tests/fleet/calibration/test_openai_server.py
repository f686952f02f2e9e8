"""The client of a live server, over a transport that never leaves the process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from warmroute.errors import MissingExtraError
from warmroute.fleet.calibration import CalibrationError, OpenAiServer
from warmroute.fleet.calibration.answers import CacheSize, PromptTooLongError

httpx = pytest.importorskip("httpx2")
METRICS = 'vllm:cache_config_info{block_size="32",cache_dtype="auto",engine="0",num_gpu_blocks="1000"} 1.0\n'


def server(handle: Callable[[Any], Any], **options: Any) -> OpenAiServer:
    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    return OpenAiServer("http://server/v1", http_client=client, **options)


def streamed(*pieces: str | dict[str, str], cached: int | None = 16) -> Any:
    usage: dict[str, Any] = {"prompt_tokens": 40, "completion_tokens": len(pieces), "total_tokens": 40 + len(pieces)}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    deltas = [{"content": piece} if isinstance(piece, str) else piece for piece in pieces]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    lines = [json.dumps({"id": "1", "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    lines += [json.dumps({"id": "1", "choices": [], "usage": usage}), "[DONE]"]
    body = "".join(f"data: {line}\n\n" for line in lines)
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=body)


def refused(status: int, message: str) -> Any:
    return httpx.Response(status, json={"error": {"message": message}})


def test_an_answer_is_what_the_server_counts_and_when_its_parts_came():
    with server(lambda _: streamed("a", "b", "c"), model="m") as live:
        one, other = live.ask(["first", "second"], 3)
    assert (one.prompt_tokens, one.cached_tokens, one.output_tokens) == (40, 16, 3)
    assert 0 < one.token_seconds[0] <= one.token_seconds[1] <= one.token_seconds[2]
    assert len(other.token_seconds) == 3


def test_tokens_without_text_count_and_the_role_does_not():
    """A token may be a part of a character; vLLM then sends a piece without text."""
    role = {"role": "assistant", "content": ""}
    with server(lambda _: streamed(role, "", "", {}), model="m") as live:
        assert len(live.ask(["first"], 2)[0].token_seconds) == 2


def test_cached_tokens_may_be_missing():
    with server(lambda _: streamed("a", "b", cached=None), model="m") as live:
        assert live.ask(["first"], 2)[0].cached_tokens is None


def test_the_first_listed_model_is_asked_for():
    asked = []

    def handle(request: Any) -> Any:
        if request.url.path == "/v1/models":
            models = [{"id": name, "object": "model", "max_model_len": 4_096} for name in ("llama", "other")]
            return httpx.Response(200, json={"object": "list", "data": models})
        asked.append(json.loads(request.content)["model"])
        return streamed("a")

    with server(handle) as live:
        live.ask(["first"], 1)
        assert live.context_tokens() == 4_096
    assert asked == ["llama"]


def test_a_server_without_a_list_of_models_is_asked_for_its_only_one():
    def handle(request: Any) -> Any:
        return streamed(json.loads(request.content)["model"] or "-") if request.method == "POST" else refused(404, "")

    with server(handle) as live:
        assert len(live.ask(["first"], 1)) == 1
        assert live.context_tokens() is None


def test_parameters_that_a_server_does_not_know_are_left_out():
    def handle(request: Any) -> Any:
        known = "ignore_eos" not in json.loads(request.content)
        return streamed("a") if known else refused(400, "Unrecognized request argument: ignore_eos")

    with server(handle, model="m") as live:
        assert len(live.ask(["first"], 1)) == 1


def test_the_cache_s_size_is_in_the_metrics():
    with server(lambda request: httpx.Response(200, text=METRICS if request.url.path == "/metrics" else "")) as live:
        assert live.cache_size() == CacheSize(32, 32_000)
    for response in (refused(404, "no"), httpx.Response(200, text="other_metric 1\n")):
        with server(lambda _, response=response: response) as live:
            assert live.cache_size() is None


@pytest.mark.parametrize(
    ("response", "kind", "message"),
    [
        (refused(401, "No key."), CalibrationError, r"status 401: No key\. Give a key with --api-key"),
        (refused(404, "No model m."), CalibrationError, r"status 404: No model m\. .*--model"),
        (refused(500, "Out of memory"), CalibrationError, "status 500: Out of memory"),
        (refused(400, "maximum context length is 512"), PromptTooLongError, "maximum context length is 512"),
        (httpx.Response(200, json={"choices": [{"message": {"content": "all"}}]}), CalibrationError, "does not stream"),
    ],
)
def test_what_goes_wrong_is_one_message_without_the_prompt(response, kind, message):
    with server(lambda _: response, model="m") as live, pytest.raises(kind, match=message) as raised:
        live.ask(["a secret prompt"], 2)
    assert "secret" not in str(raised.value)


def test_an_unreachable_server_is_named():
    def handle(request: Any) -> Any:
        raise httpx.ConnectError("refused", request=request)

    with server(handle, model="m") as live, pytest.raises(CalibrationError, match="No server answers at http://server"):
        live.ask(["first"], 1)


@pytest.mark.parametrize("failure", ["error", "break"])
def test_a_stream_that_breaks_off_is_one_message(failure):
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self):
            if failure == "error":
                yield b'data: {"error": {"message": "engine died"}}\n\n'
            raise httpx.RemoteProtocolError("peer closed connection")

    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Broken())
    with server(lambda _: response, model="m") as live, pytest.raises(CalibrationError, match="broke an answer off"):
        live.ask(["first"], 2)


def test_a_server_that_cannot_list_its_models_in_time_is_named():
    def handle(request: Any) -> Any:
        raise httpx.ReadTimeout("too late", request=request)

    with server(handle) as live, pytest.raises(CalibrationError, match="http://server/v1 did not answer in time"):
        live.context_tokens()


def test_the_packages_that_it_needs_are_named_by_their_extras(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[openai\]"):
        OpenAiServer("http://server/v1")
