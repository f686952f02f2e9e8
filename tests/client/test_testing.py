"""The test double that applications use: offline, without credentials, and it tells routing keys."""

import asyncio
import io
import json
import sys
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config

from warmroute.client import sagemaker
from warmroute.client.chat import SageMakerChat, ToolCall
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.testing import FakeEndpoint
from warmroute.errors import MissingExtraError
from warmroute.prefix import CanonicalJsonError, canonical_json, routing_key

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


TEXT = json.dumps({"messages": MESSAGES})
BODIES: dict[str, Callable[[], Any]] = {
    "text": lambda: TEXT,
    "bytes": TEXT.encode,
    "bytearray": lambda: bytearray(TEXT.encode()),
    "a file": lambda: io.BytesIO(TEXT.encode()),
    "a file of text": lambda: io.StringIO(TEXT),
    "the rest of a file": lambda: _at(3, io.BytesIO(b"x: " + TEXT.encode())),
}


def _at(position: int, file: io.BytesIO) -> io.BytesIO:
    file.seek(position)
    return file


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_a_body_may_be_whatever_boto3_takes(name: str, installed: bool) -> None:
    endpoint = FakeEndpoint("Hello")
    client = endpoint.connect(runtime())
    if installed:
        sagemaker.install(client)
    reply = client.invoke_endpoint(EndpointName="chat", Body=BODIES[name](), ContentType="application/json")
    assert json.loads(reply["Body"].read())["choices"][0]["message"]["content"] == "Hello"
    assert json.loads(endpoint.requests[0].body) == json.loads(TEXT)


def test_a_body_in_parts_is_joined_where_boto3_does_not_check_it() -> None:
    endpoint = FakeEndpoint()
    client = boto3.client("sagemaker-runtime", region_name="us-east-1", config=Config(parameter_validation=False))
    endpoint.connect(client).invoke_endpoint(EndpointName="chat", Body=iter([b"1,", b"2"]))
    assert endpoint.requests[0].body == b"1,2"


@pytest.mark.parametrize("installed", [True, False])
def test_text_that_utf_8_lacks_is_refused_in_words(installed: bool) -> None:
    endpoint = FakeEndpoint()
    client = endpoint.connect(runtime())
    if installed:
        sagemaker.install(client)
    with pytest.raises(CanonicalJsonError, match="lone surrogate"):
        client.invoke_endpoint(EndpointName="chat", Body='{"messages": ["\ud800"]}')
    assert not endpoint.requests


ODD_MESSAGES: list[Any] = [
    {"role": "system", "content": [{"type": "text", "text": "two words"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {}}]},
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "user"},
    "no message",
    None,
]


def test_messages_of_every_form_are_answered() -> None:
    client = FakeEndpoint("Hello you").connect(runtime())
    response = client.invoke_endpoint(EndpointName="chat", Body=canonical_json({"messages": ODD_MESSAGES}))
    usage = json.loads(response["Body"].read())["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (5, 2)


@pytest.mark.parametrize(
    "body", [{"messages": None}, {"messages": "text"}, {"messages": {}}, {"stream_options": True}, []]
)
def test_no_json_stops_the_endpoint(body: Any) -> None:
    client = FakeEndpoint("Hello").connect(runtime())
    for stream in (True, False):
        sent = {**body, "stream": stream} if isinstance(body, dict) else body
        response = client.invoke_endpoint(EndpointName="chat", Body=json.dumps(sent))
        assert b"Hello" in response["Body"].read()


def invoked(request: dict[str, Any]) -> Any:
    response = FakeEndpoint("Hello you").connect(runtime()).invoke_endpoint(EndpointName="e", Body=json.dumps(request))
    return json.loads(response["Body"].read())


def test_requests_of_other_shapes_get_answers_of_their_shape() -> None:
    assert invoked({"inputs": "Say hello", "parameters": {"max_new_tokens": 5}}) == {"generated_text": "Hello you"}
    completion = invoked({"prompt": ["one two", "three"]})
    assert (completion["object"], completion["choices"][0]["text"]) == ("text_completion", "Hello you")
    assert completion["usage"]["prompt_tokens"] == 3
    vectors = [row["embedding"] for row in invoked({"input": ["a", "b", "a"], "dimensions": 3})["data"]]
    assert vectors[0] == vectors[2] != vectors[1]
    assert {len(vector) for vector in vectors} == {3}
    assert len(invoked({"input": [1, 2, 3]})["data"]) == 1


def test_a_completion_is_streamed_word_by_word() -> None:
    client = FakeEndpoint("Hello you").connect(runtime())
    body = json.dumps({"prompt": "x", "stream": True})
    events = client.invoke_endpoint_with_response_stream(EndpointName="e", Body=body)["Body"]
    lines = [event["PayloadPart"]["Bytes"].removeprefix(b"data: ").strip() for event in events]
    assert lines.pop() == b"[DONE]"
    assert [json.loads(line)["choices"][0]["text"] for line in lines] == ["Hello", " you", ""]


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

    assert client.completions.create(model="", prompt="x").choices[0].text == "Hello you"
    one, other = (row.embedding for row in client.embeddings.create(model="", input=["a", "b"], dimensions=4).data)
    assert len(one) == 4
    assert one != other
    assert client.embeddings.create(model="", input="a", dimensions=4, encoding_format="float").data[0].embedding == one
    del endpoint.requests[2:]

    async def chat() -> str | None:
        client = openai.async_client("chat", http_client=endpoint.async_http_client(), **options)
        reply = await client.chat.completions.create(model="", messages=MESSAGES)
        return reply.choices[0].message.content

    assert asyncio.run(chat()) == "Hello you"
    assert endpoint.requests[2].routing_key == first.routing_key
