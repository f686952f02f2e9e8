"""What leaves a real openai client whose transport is replaced."""

import asyncio
import base64
import inspect
import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from boto3.session import Session
from hypothesis import given
from hypothesis import strategies as st

from warmroute.client.body_size import MAX_BODY_BYTES, BodyTooLargeError
from warmroute.client.errors import (
    MissingCredentialsError,
    MissingRegionError,
    UnsupportedClientError,
    UnsupportedSessionError,
)
from warmroute.errors import InvalidSettingsError, MissingExtraError
from warmroute.prefix import CanonicalJsonError, canonical_json

openai = pytest.importorskip("openai")
httpx2 = pytest.importorskip("httpx2")

from openai import AzureOpenAI, pydantic_function_tool  # noqa: E402 - only where openai is installed.
from pydantic import BaseModel  # noqa: E402

from warmroute.client import openai as ours  # noqa: E402

MESSAGES: list[Any] = [{"content": "a secret é", "role": "user"}]
ANSWER: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": '{"x":1}'}, "finish_reason": "stop"}],
}
CHUNK = {
    **ANSWER,
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],
}


class Wire:
    """Keeps each request and answers it."""

    def __init__(self, *statuses: int) -> None:
        self.sent: list[Any] = []
        self.statuses = list(statuses)

    def __call__(self, request: Any) -> Any:
        self.sent.append(request)
        if self.statuses:
            return httpx2.Response(self.statuses.pop(0), json={"error": {"message": "later"}})
        if json.loads(request.content).get("stream"):
            sse = f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n"
            return httpx2.Response(200, text=sse, headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=ANSWER)

    @property
    def body(self) -> Any:
        return json.loads(self.sent[-1].content)

    def client(self, **options: Any) -> Any:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self))
        return ours.client("chat", **{"region": "us-east-1", "session": SESSION, **options}, http_client=http_client)

    def async_client(self, **options: Any) -> Any:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        options = {"region": "us-east-1", "session": SESSION, **options}
        return ours.async_client("chat", **options, http_client=http_client)

    def plain(self) -> Any:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self))
        return openai.OpenAI(api_key="x", base_url="http://x/v1", http_client=http_client)


SESSION = Session("AKIDEXAMPLE", "secret", region_name="us-east-1")


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME", "AWS_REGION", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_chat_goes_to_the_endpoint_with_a_token_and_comes_back_typed(wire: Wire) -> None:
    reply = wire.client().chat.completions.create(model="", messages=MESSAGES, max_tokens=5)
    assert reply.choices[0].message.content == '{"x":1}'
    assert isinstance(reply, openai.types.chat.ChatCompletion)
    request = wire.sent[0]
    assert str(request.url) == (
        "https://runtime.sagemaker.us-east-1.amazonaws.com/endpoints/chat/openai/v1/chat/completions"
    )
    assert request.content == canonical_json({"model": "", "messages": MESSAGES, "max_tokens": 5})
    assert request.headers["content-type"] == "application/json"
    assert b"us-east-1/sagemaker" in base64.b64decode(request.headers["authorization"][25:]).replace(b"%2F", b"/")
    assert request.extensions["timeout"]["read"] == 70.0


def test_an_inference_component_has_a_path_of_its_own(wire: Wire) -> None:
    wire.client(inference_component="llama").chat.completions.create(model="", messages=MESSAGES)
    path = "/endpoints/chat/inference-components/llama/openai/v1/chat/completions"
    assert wire.sent[0].url.path == path


def test_a_token_is_made_for_every_request(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: Iterator[str] = map(str, range(9))
    monkeypatch.setattr(ours.BearerTokens, "__call__", lambda _self: next(numbers))
    client = wire.client()
    for _ in range(2):
        client.chat.completions.create(model="", messages=MESSAGES)
    assert [request.headers["authorization"] for request in wire.sent] == ["Bearer 0", "Bearer 1"]


def test_a_retry_sends_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    wire = Wire(429, 503)
    wire.client().chat.completions.create(model="", messages=MESSAGES)
    assert len(wire.sent) == 3
    assert len({request.content for request in wire.sent}) == 1


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME"])
def test_the_local_endpoint_is_found_as_boto3_finds_it(wire: Wire, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://localhost:8333/")
    assert str(wire.client().base_url) == "http://localhost:8333/endpoints/chat/openai/v1/"
    assert str(wire.client(base_url="http://other/v1").base_url) == "http://other/v1/"
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
    assert wire.client().base_url.host == "runtime.sagemaker.us-east-1.amazonaws.com"


def test_the_library_s_options_are_the_caller_s(wire: Wire) -> None:
    client = wire.client(timeout=3.0, max_retries=7, api_key="own")
    client.chat.completions.create(model="", messages=MESSAGES)
    assert wire.sent[0].headers["authorization"] == "Bearer own"
    assert wire.sent[0].extensions["timeout"]["read"] == 3.0
    assert client.max_retries == 7


@pytest.mark.parametrize("bad", ["a/../b", "a?x=1", "", "a\n"])
def test_names_cannot_change_the_url(bad: str) -> None:
    with pytest.raises(InvalidSettingsError):
        ours.client(bad, region="us-east-1", session=SESSION)
    with pytest.raises(InvalidSettingsError):
        ours.client("chat", region="us-east-1", session=SESSION, inference_component=bad)


def test_missing_credentials_are_said_at_the_request(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Session(region_name="us-east-1")
    monkeypatch.setattr(empty, "get_credentials", lambda: None)
    with pytest.raises(MissingCredentialsError):
        wire.client(session=empty).chat.completions.create(model="", messages=MESSAGES)


@pytest.mark.parametrize("make", [ours.client, ours.async_client])
def test_a_missing_region_is_said_at_once_and_where_to_give_it(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Session("AKIDEXAMPLE", "secret")
    monkeypatch.setattr(Session, "region_name", None)
    with pytest.raises(MissingRegionError, match=r"^region: none .* region=, set AWS_REGION, .*profile"):
        make("chat", session=nowhere)
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert make("chat", session=nowhere).base_url.host == "runtime.sagemaker.eu-west-2.amazonaws.com"


def test_a_session_of_aiobotocore_is_for_the_async_client(wire: Wire) -> None:
    class Awaited:
        async def get_credentials(self) -> Any:
            return self

        async def get_frozen_credentials(self) -> Any:
            return SESSION.get_credentials().get_frozen_credentials()

    asyncio.run(wire.async_client(session=Awaited()).chat.completions.create(model="", messages=MESSAGES))
    assert wire.sent[0].headers["authorization"].startswith("Bearer sagemaker-api-key-")
    with pytest.raises(UnsupportedSessionError, match="async_client"):
        wire.client(session=Awaited()).chat.completions.create(model="", messages=MESSAGES)


def test_the_key_of_the_tenant_is_added_unless_the_call_has_its_own(wire: Wire) -> None:
    client = wire.client(prompt_cache_key=lambda request: request.get("user"))
    create = client.chat.completions.create
    create(model="", messages=MESSAGES, user="team-a")
    assert wire.body["prompt_cache_key"] == "team-a"
    create(model="", messages=MESSAGES)
    assert "prompt_cache_key" not in wire.body
    create(model="", messages=MESSAGES, user="team-a", prompt_cache_key="own")
    assert wire.body["prompt_cache_key"] == "own"
    with pytest.raises(InvalidSettingsError):
        create(model="", messages=MESSAGES, user="é")


def test_streams_are_the_library_s(wire: Wire) -> None:
    stream = wire.client(prompt_cache_key="k").chat.completions.create(model="", messages=MESSAGES, stream=True)
    assert [chunk.choices[0].delta.content for chunk in stream] == ["Hi"]
    assert wire.sent[0].content == canonical_json(
        {"model": "", "messages": MESSAGES, "stream": True, "prompt_cache_key": "k"}
    )


class Found(BaseModel):
    """A reply of a fixed form."""

    x: int


CALLS: dict[str, Callable[[Any], Any]] = {
    "create": lambda client: client.chat.completions.create(model="", messages=MESSAGES),
    "raw": lambda client: client.chat.completions.with_raw_response.create(model="", messages=MESSAGES).parse(),
    "copy": lambda client: client.with_options(timeout=1).chat.completions.create(model="", messages=MESSAGES),
    "post": lambda client: client.post(
        "/chat/completions", body={"model": "", "messages": MESSAGES}, cast_to=openai.types.chat.ChatCompletion
    ),
    "parse": lambda client: client.chat.completions.parse(model="", messages=MESSAGES, response_format=Found),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_way_to_chat_is_prepared(wire: Wire, name: str) -> None:
    reply = CALLS[name](wire.client(prompt_cache_key="k"))
    assert reply.choices[0].message.content == '{"x":1}'
    body = wire.body
    assert wire.sent[0].content == canonical_json(body)
    assert (body["messages"], body["prompt_cache_key"]) == ([{"role": "user", "content": "a secret é"}], "k")


def test_the_library_s_stream_helper_is_prepared_too(wire: Wire) -> None:
    with wire.client(prompt_cache_key="k").chat.completions.stream(model="", messages=MESSAGES) as stream:
        assert stream.get_final_completion().choices[0].message.content == "Hi"
    assert wire.sent[0].content == canonical_json(wire.body)
    assert wire.body["prompt_cache_key"] == "k"


WORDS = st.text(max_size=6)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
TEXT_PARTS = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": WORDS}), max_size=2)
CALLED = st.fixed_dictionaries({"name": WORDS, "arguments": WORDS})
TOOL_CALLS = st.lists(st.fixed_dictionaries({"id": WORDS, "function": CALLED}), max_size=2)
SENT_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": st.none() | WORDS | TEXT_PARTS},
    optional={"name": WORDS, "tool_calls": TOOL_CALLS, "more": JSON},
)
FUNCTION = st.fixed_dictionaries({"name": WORDS}, optional={"parameters": st.dictionaries(WORDS, JSON, max_size=3)})
TOOL = st.fixed_dictionaries({"type": st.just("function"), "function": FUNCTION})


@given(
    st.lists(SENT_MESSAGE, max_size=4),
    st.lists(TOOL, max_size=3) | st.none(),
    st.dictionaries(st.sampled_from(["guided_json", "messages", "tools", "user"]), JSON, max_size=2),
)
def test_the_quick_way_sends_what_the_library_would(messages: Any, tools: Any, extra: Any) -> None:
    wire = Wire()
    request = {
        "model": "m",
        "messages": messages,
        "tools": tools,
        "temperature": 0.5,
        "stop": None,
        "extra_body": extra,
    }
    for client in (wire.plain(), wire.client()):
        client.chat.completions.create(**request)
    assert wire.sent[1].content == canonical_json(wire.sent[0].content)


REPLY = openai.types.chat.ChatCompletion.model_validate(ANSWER)
LISTS: dict[str, Callable[[], Any]] = {
    "a reply sent back": lambda: [*MESSAGES, REPLY.choices[0].message],
    "a parsed reply sent back": lambda: [
        *MESSAGES,
        openai.types.chat.ParsedChatCompletionMessage[Found](role="assistant", content="{}", parsed=Found(x=1)),
    ],
    "a tuple": lambda: (*MESSAGES,),
    "a generator": lambda: (message for message in MESSAGES),
    "omitted values": lambda: [{**MESSAGES[0], "name": openai.omit}],
}


@pytest.mark.parametrize("name", LISTS)
def test_what_only_the_library_can_write_is_written_by_it(wire: Wire, name: str) -> None:
    tools = [pydantic_function_tool(Found)]
    wire.plain().chat.completions.create(model="", messages=LISTS[name](), tools=tools, seed=openai.omit)
    wire.client().chat.completions.create(model="", messages=LISTS[name](), tools=tools, seed=openai.omit)
    assert wire.sent[1].content == canonical_json(wire.sent[0].content)


def test_mistakes_are_told_as_the_library_tells_them(wire: Wire) -> None:
    create = wire.client().chat.completions.create
    with pytest.raises(TypeError, match="messages"):
        create(model="")
    with pytest.raises(TypeError, match="no_such_argument"):
        create(model="", messages=MESSAGES, no_such_argument=1)
    with pytest.raises(TypeError, match="BaseModel"):
        create(model="", messages=MESSAGES, response_format=Found)
    assert not wire.sent


def test_create_looks_as_it_did(wire: Wire) -> None:
    ours_, theirs = wire.client().chat.completions.create, wire.plain().chat.completions.create
    assert inspect.signature(ours_) == inspect.signature(theirs)


def test_a_body_that_cannot_be_sent_is_refused_before(wire: Wire) -> None:
    create = wire.client().chat.completions.create
    with pytest.raises(CanonicalJsonError, match="temperature"):
        create(model="", messages=MESSAGES, temperature=float("nan"))
    with pytest.raises(BodyTooLargeError):
        create(model="", messages=[{"role": "user", "content": "x" * MAX_BODY_BYTES}])
    assert not wire.sent


def test_the_caller_s_arguments_stay_as_they_are(wire: Wire) -> None:
    messages, extra = [dict(MESSAGES[0])], {"guided_json": {}}
    wire.client(prompt_cache_key="k").chat.completions.create(model="", messages=messages, extra_body=extra)
    assert (messages, extra) == (MESSAGES, {"guided_json": {}})
    assert wire.body["guided_json"] == {}


def test_other_calls_are_left_alone(wire: Wire) -> None:
    client = ours.wrap(wire.plain(), prompt_cache_key="k")
    client.post("/embeddings", body={"input": "é", "dimensions": 2}, cast_to=object)
    assert wire.sent[0].content == '{"input":"é","dimensions":2}'.encode()


def test_wrapping_again_replaces_and_unwrapping_restores(wire: Wire) -> None:
    client = wire.plain()
    completions = dict(vars(client.chat.completions))
    before = dict(vars(client)), completions
    calls: list[str] = []
    assert ours.wrap(client, prompt_cache_key=lambda _: calls.append("first")) is client
    ours.wrap(client, prompt_cache_key="second")
    client.chat.completions.create(model="", messages=MESSAGES)
    assert (wire.body["prompt_cache_key"], calls) == ("second", [])
    ours.unwrap(client)
    ours.unwrap(client)
    assert (dict(vars(client)), dict(vars(client.chat.completions))) == before
    client.chat.completions.create(model="", messages=MESSAGES)
    assert "prompt_cache_key" not in wire.body


@pytest.mark.parametrize("use", [ours.wrap, ours.unwrap])
def test_other_clients_are_refused(use: Any) -> None:
    with pytest.raises(UnsupportedClientError, match=r"builtins\.dict"):
        use({})
    azure = AzureOpenAI(api_key="x", api_version="1", azure_endpoint="http://x")
    with pytest.raises(UnsupportedClientError, match="AzureOpenAI"):
        use(azure)


def test_without_openai_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[openai\]"):
        ours.client("chat", region="us-east-1", session=SESSION)


def test_the_async_client_does_the_same(wire: Wire) -> None:
    async def chat() -> None:
        client = wire.async_client(prompt_cache_key="k")
        reply = await client.chat.completions.create(model="", messages=MESSAGES)
        assert reply.choices[0].message.content == '{"x":1}'
        stream = await client.chat.completions.create(model="", messages=[*MESSAGES, *MESSAGES], stream=True)
        assert [chunk.choices[0].delta.content async for chunk in stream] == ["Hi"]
        await client.with_options(timeout=1).chat.completions.parse(model="", messages=MESSAGES, response_format=Found)
        with pytest.raises(BodyTooLargeError):
            await client.chat.completions.create(model="x" * MAX_BODY_BYTES, messages=MESSAGES)

    asyncio.run(chat())
    assert len(wire.sent) == 3
    assert all(request.content == canonical_json(request.content) for request in wire.sent)
    assert all(json.loads(request.content)["prompt_cache_key"] == "k" for request in wire.sent)
    assert all(request.headers["authorization"].startswith("Bearer sagemaker-api-key-") for request in wire.sent)


def test_no_log_has_the_prompt_or_the_token(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wire.client().chat.completions.create(model="", messages=MESSAGES)
    assert "secret" not in caplog.text
    assert "sagemaker-api-key-" not in caplog.text
