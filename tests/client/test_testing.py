"""The test double that applications use: offline, without credentials, and it tells routing keys."""

import asyncio
import json
import sys
from typing import Any

import boto3
import pytest

from warmroute.client import sagemaker
from warmroute.client.chat import SageMakerChat, ToolCall
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.testing import FakeEndpoint
from warmroute.errors import MissingExtraError
from warmroute.prefix import routing_key

MESSAGES: list[Any] = [{"role": "system", "content": "x" * 2_000}, {"role": "user", "content": "Hello"}]


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def runtime() -> Any:
    return boto3.client("sagemaker-runtime", region_name="us-east-1")


def test_a_boto3_client_is_answered_and_its_key_recorded() -> None:
    endpoint = FakeEndpoint("Hello you", prefix_length=1_024)
    client = sagemaker.install(endpoint.connect(runtime()), prefix_aware_id="team-a")
    target = {"InferenceComponentName": "llama", "TargetVariant": "blue"}
    response = client.invoke_endpoint(EndpointName="chat", Body={"messages": MESSAGES}, **target)
    assert json.loads(response["Body"].read())["choices"][0]["message"]["content"] == "Hello you"
    (request,) = endpoint.requests
    assert (request.api, request.endpoint_name, request.prefix_aware_id) == ("invoke", "chat", "team-a")
    assert (request.inference_component, request.target_variant) == ("llama", "blue")
    expected = routing_key(request.body, api="invoke", prefix_length=1_024, prefix_aware_id="team-a")
    assert request.routing_key == expected
    assert "xxx" not in repr(request)


def test_turns_of_a_conversation_have_one_key_and_tenants_their_own() -> None:
    endpoint = FakeEndpoint()
    chat = SageMakerChat(endpoint.connect(runtime()), "chat")
    chat.complete({"messages": MESSAGES, "temperature": 0})
    chat.complete({"temperature": 1, "messages": [*MESSAGES, *MESSAGES]})
    chat.complete({"messages": MESSAGES}, prefix_aware_id="other")
    first, second, other = [request.routing_key for request in endpoint.requests]
    assert first == second != other


@pytest.mark.parametrize("text", ["", "Hello", " two  words\n", "é 漢字 \n\n end"])
def test_a_stream_says_the_same_as_a_whole_reply(text: str) -> None:
    chat = SageMakerChat(FakeEndpoint(text).connect(runtime()), "chat")
    whole = chat.complete({"messages": MESSAGES})
    with chat.stream({"messages": MESSAGES}) as stream:
        assert "".join(stream) == text
    assert (stream.reply.text, stream.reply.usage, stream.reply.finish_reason) == (text, whole.usage, "stop")


def test_an_answer_can_depend_on_the_request_and_be_anything_a_container_says() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    answer = {
        "choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}},
    }
    endpoint = FakeEndpoint(lambda request: answer if request["messages"] == MESSAGES else "no")
    chat = SageMakerChat(endpoint.connect(runtime()), "chat")
    with chat.stream({"messages": MESSAGES}) as stream:
        assert list(stream) == []
    for reply in (stream.reply, chat.complete({"messages": MESSAGES})):
        assert reply.tool_calls == (ToolCall("a", "look", "{}"),)
        assert reply.usage is not None
        assert reply.usage.cached_tokens == 4
    assert chat.complete({"messages": MESSAGES[:1]}).text == "no"


def test_what_the_answer_raises_meets_the_application() -> None:
    def fail(_: Any) -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        SageMakerChat(FakeEndpoint(fail).connect(runtime()), "chat").complete({"messages": MESSAGES})


def test_connecting_again_replaces_the_endpoint() -> None:
    first, second = FakeEndpoint("1"), FakeEndpoint("2")
    chat = SageMakerChat(second.connect(first.connect(runtime())), "chat")
    assert chat.complete({"messages": MESSAGES}).text == "2"
    assert not first.requests


def test_a_body_that_is_not_json_is_recorded_too() -> None:
    endpoint = FakeEndpoint()
    endpoint.connect(runtime()).invoke_endpoint(EndpointName="chat", Body=b"1,2", ContentType="text/csv")
    assert endpoint.requests[0].body == b"1,2"


def test_the_openai_part_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[openai\]"):
        FakeEndpoint().http_client()


def test_other_clients_are_refused() -> None:
    with pytest.raises(UnsupportedClientError):
        FakeEndpoint().connect({})
    with pytest.raises(UnsupportedClientError):
        FakeEndpoint().connect(boto3.client("sagemaker", region_name="us-east-1"))


def test_openai_clients_are_answered_and_their_keys_recorded() -> None:
    pytest.importorskip("openai")
    from warmroute.client import openai

    endpoint = FakeEndpoint("Hello you")
    options: dict[str, Any] = {"region": "us-east-1", "api_key": "x", "prompt_cache_key": "team-a"}
    client = openai.client("chat", inference_component="llama", http_client=endpoint.http_client(), **options)
    reply = client.chat.completions.create(model="", messages=MESSAGES)
    assert reply.choices[0].message.content == "Hello you"
    stream = client.chat.completions.create(model="", messages=[*MESSAGES, *MESSAGES], stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Hello you"
    first, second = endpoint.requests
    assert first.routing_key == second.routing_key
    assert (first.api, first.endpoint_name, first.inference_component) == ("openai", "chat", "llama")
    assert first.prefix_aware_id == "team-a"

    async def chat() -> str | None:
        client = openai.async_client("chat", http_client=endpoint.async_http_client(), **options)
        reply = await client.chat.completions.create(model="", messages=MESSAGES)
        return reply.choices[0].message.content

    assert asyncio.run(chat()) == "Hello you"
    assert endpoint.requests[2].routing_key == first.routing_key
