"""The quick way through ``create`` sends what the library would, and is left wherever another tool stands in it."""

import asyncio
import functools
import json
from collections.abc import Callable
from typing import Any

import pytest
from client.openai_chat import ANSWER

from warmroute.prefix import FieldOrder, canonical_json

openai = pytest.importorskip("openai")
httpx2 = pytest.importorskip("httpx2")

from openai.resources.chat import completions as resource  # noqa: E402 - only where openai is installed.

from warmroute.client import openai as ours  # noqa: E402

MESSAGES: list[Any] = [{"content": "é", "role": "user"}]
CHUNK = {
    **ANSWER,
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],
}


class Wire:
    """Keeps each request and answers it."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def __call__(self, request: Any) -> Any:
        self.sent.append(request)
        if json.loads(request.content).get("stream"):
            sse = f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n"
            return httpx2.Response(200, text=sse, headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=ANSWER)

    def plain(self, kind: type = openai.OpenAI, **options: Any) -> Any:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self))
        return kind(api_key="x", base_url="http://x/v1", http_client=http_client, **options)

    def plain_async(self) -> Any:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return openai.AsyncOpenAI(api_key="x", base_url="http://x/v1", http_client=http_client)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The bodies through which the library walks."""
    seen: list[Any] = []
    walk, async_walk = resource.completions.maybe_transform, resource.completions.async_maybe_transform

    def watched(data: Any, kind: Any) -> Any:
        seen.append({name: value for name, value in data.items() if not isinstance(value, openai.Omit)})
        return walk(data, kind)

    async def async_watched(data: Any, kind: Any) -> Any:
        seen.append({name: value for name, value in data.items() if not isinstance(value, openai.Omit)})
        return await async_walk(data, kind)

    monkeypatch.setattr(resource.completions, "maybe_transform", watched)
    monkeypatch.setattr(resource.completions, "async_maybe_transform", async_watched)
    return seen


CALLS: dict[str, dict[str, Any]] = {
    "a chat": {"model": "m", "messages": MESSAGES},
    "tools": {"model": "m", "messages": MESSAGES, "tools": [{"type": "function", "function": {"name": "f"}}]},
    "nothing said": {"model": "m", "messages": []},
    "all kinds of values": {
        "model": "m",
        "messages": MESSAGES,
        "stop": ["a", "b"],
        "response_format": {"type": "json_object"},
        "temperature": 1e-5,
        "seed": 2**63 - 1,
        "user": None,
        "n": openai.omit,
    },
    "headers, query and timeout": {
        "model": "m",
        "messages": MESSAGES,
        "extra_headers": {"X-Trace": "1", "User-Agent": openai.omit},
        "extra_query": {"a": ["b", 1]},
        "timeout": 3,
    },
    "more fields": {"model": "m", "messages": MESSAGES, "extra_body": {"guided_json": {}, "n": openai.omit}},
    "an idempotency header": {"model": "m", "messages": MESSAGES, "extra_headers": {"Idempotency-Key": "i"}},
    "streaming off": {"model": "m", "messages": MESSAGES, "stream": False},
}  # fmt: skip


def as_sent(request: Any) -> tuple[Any, ...]:
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}
    return request.method, request.url, headers, canonical_json(request.content), request.extensions["timeout"]


@pytest.mark.parametrize("name", CALLS)
def test_the_request_is_the_library_s(wire: Wire, walks: list[Any], name: str) -> None:
    theirs = wire.plain().chat.completions.create(**CALLS[name])
    walks.clear()
    answer = ours.wrap(wire.plain()).chat.completions.create(**CALLS[name])
    assert as_sent(wire.sent[1]) == as_sent(wire.sent[0])
    assert wire.sent[1].content == canonical_json(wire.sent[0].content)
    assert (type(answer), answer) == (type(theirs), theirs)
    assert [body for body in walks if body.keys() - {"stream"}] == []


@pytest.mark.parametrize("name", CALLS)
def test_the_async_request_is_the_library_s(wire: Wire, walks: list[Any], name: str) -> None:
    async def both() -> tuple[Any, Any]:
        theirs = await wire.plain_async().chat.completions.create(**CALLS[name])
        walks.clear()
        return theirs, await ours.wrap(wire.plain_async()).chat.completions.create(**CALLS[name])

    theirs, answer = asyncio.run(both())
    assert as_sent(wire.sent[1]) == as_sent(wire.sent[0])
    assert (type(answer), answer) == (type(theirs), theirs)
    assert [body for body in walks if body.keys() - {"stream"}] == []


def test_streams_and_raw_responses_are_the_library_s(wire: Wire) -> None:
    for client in (wire.plain(), ours.wrap(wire.plain())):
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        assert type(stream) is openai.Stream
        assert [chunk.choices[0].delta.content for chunk in stream] == ["Hi"]
        raw = client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES)
        assert raw.parse().id == "c"
        with client.chat.completions.with_streaming_response.create(model="m", messages=MESSAGES) as response:
            assert json.loads(response.read())["id"] == "c"
    assert list(map(as_sent, wire.sent[:3])) == list(map(as_sent, wire.sent[3:]))


class Proxy:
    """Stands for a function, and looks like it throughout, as the proxies of tracing libraries do."""

    def __init__(self, function: Callable[..., Any], calls: list[Any]) -> None:
        self.function, self.calls = function, calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    @property
    def __class__(self) -> type:
        return type(self.function)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **params: Any) -> Any:
        self.calls.append(params)
        return self.function(*args, **params)


def plain_layer(function: Callable[..., Any], calls: list[Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def traced(*args: Any, **params: Any) -> Any:
        calls.append(params)
        return function(*args, **params)

    return traced


@pytest.mark.parametrize("layer", [Proxy, plain_layer])
@pytest.mark.parametrize(("owner", "name"), [(resource.Completions, "create"), (openai.OpenAI, "post")])
def test_a_tool_on_the_class_is_not_passed_by(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, layer: Any, owner: Any, name: str
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(owner, name, layer(getattr(owner, name), calls))
    ours.wrap(wire.plain()).chat.completions.create(model="m", messages=MESSAGES)
    assert len(calls) == len(wire.sent) == 1
    assert wire.sent[0].content == canonical_json({"model": "m", "messages": MESSAGES})


def test_a_tool_on_the_client_is_not_passed_by(wire: Wire, walks: list[Any]) -> None:
    client, calls = wire.plain(), []
    client.post = plain_layer(client.post, calls)
    ours.wrap(client).chat.completions.create(model="m", messages=MESSAGES)
    assert len(calls) == len(walks) == 1


def test_a_subclass_s_own_post_is_called(wire: Wire) -> None:
    class Client(openai.OpenAI):  # type: ignore[misc]
        def post(self, path: str, **options: Any) -> Any:
            options["body"]["user"] = "me"
            return super().post(path, **options)

    ours.wrap(wire.plain(Client)).chat.completions.create(model="m", messages=MESSAGES)
    assert json.loads(wire.sent[0].content)["user"] == "me"


def test_another_encoder_gets_what_the_library_would_send(wire: Wire) -> None:
    bodies: list[Any] = []

    def encode(body: Any) -> bytes:
        bodies.append(body)
        return canonical_json(body)

    messages = ({"role": role, "content": "x"} for role in ("system", "user"))
    ours.wrap(wire.plain(), encode=encode).chat.completions.create(model="m", messages=messages)
    assert [type(body["messages"]) for body in bodies] == [list]


def test_another_order_takes_the_quick_way(wire: Wire, walks: list[Any]) -> None:
    encode = functools.partial(canonical_json, order=FieldOrder(tools="after_messages"))
    ours.wrap(wire.plain(), encode=encode).chat.completions.create(model="m", messages=MESSAGES, tools=[])
    assert wire.sent[0].content == b'{"model":"m","messages":[{"role":"user","content":"\xc3\xa9"}],"tools":[]}'
    assert [body for body in walks if body.keys() - {"stream"}] == []


def test_headers_of_another_kind_of_body_are_the_library_s_to_judge(wire: Wire) -> None:
    for client in (wire.plain(), ours.wrap(wire.plain())):
        client.chat.completions.create(model="m", messages=MESSAGES, extra_headers={"content-type": "text/plain"})
    assert wire.sent[0].content == wire.sent[1].content


def test_an_id_is_found_once_for_a_request(wire: Wire) -> None:
    asked: list[Any] = []
    client = ours.wrap(wire.plain(), prompt_cache_key=lambda request: asked.append(request) or "k")
    client.chat.completions.create(model="m", messages=MESSAGES)
    assert json.loads(wire.sent[0].content)["prompt_cache_key"] == "k"
    assert len(asked) == 1
