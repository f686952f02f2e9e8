"""Wrapping beside other tools, again, from several threads, of subclasses and copies; and unwrapping in any order."""

import asyncio
import copy
import functools
import gc
import json
import threading
import unittest.mock
import weakref
from collections.abc import Callable
from typing import Any, cast

import pytest

openai = pytest.importorskip("openai")
httpx2 = pytest.importorskip("httpx2")

from client.openai_chat import ANSWER, MESSAGES  # noqa: E402 - only where openai is installed.

from warmroute.client import openai as ours  # noqa: E402
from warmroute.errors import InvalidSettingsError  # noqa: E402

METHODS = ["request", "create"]


class Wire:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def answer(self, request: Any) -> Any:
        self.sent.append(json.loads(request.content))
        return httpx2.Response(200, json=ANSWER)

    def client(self, kind: Any = openai.OpenAI) -> Any:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        return kind(api_key="x", base_url="http://x/v1", http_client=http_client)

    def ids(self) -> list[str | None]:
        """The ``prompt_cache_key`` of each request since the last look."""
        ids = [body.get("prompt_cache_key") for body in self.sent]
        self.sent.clear()
        return ids


@pytest.fixture
def wire() -> Wire:
    return Wire()


def chat(client: Any) -> Any:
    return client.chat.completions.create(model="", messages=MESSAGES)


class Tool:
    """Another tool, which counts calls of a method of one client, as tracers do."""

    def __init__(self, client: Any, method: str, *, known: bool = True) -> None:
        self.owner = client if method == "request" else client.chat.completions
        self.method = method
        self.calls = 0
        self.below = below = getattr(self.owner, method)

        def counted(*args: Any, **params: Any) -> Any:
            self.calls += 1
            return below(*args, **params)

        setattr(self.owner, method, functools.wraps(below)(counted) if known else counted)

    def leave(self) -> None:
        setattr(self.owner, self.method, self.below)


@pytest.mark.parametrize("known", [True, False], ids=["tells what it wraps", "does not tell"])
@pytest.mark.parametrize("method", METHODS)
def test_a_tool_that_came_before_survives(wire: Wire, method: str, known: bool) -> None:
    client = wire.client()
    tool = Tool(client, method, known=known)
    ours.wrap(client, prompt_cache_key="k")
    chat(client)
    ours.unwrap(client)
    chat(client)
    assert wire.ids() == ["k", None]
    assert tool.calls == 2


@pytest.mark.parametrize("known", [True, False], ids=["tells what it wraps", "does not tell"])
@pytest.mark.parametrize("method", METHODS)
def test_a_tool_that_came_after_survives(wire: Wire, method: str, known: bool) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    tool = Tool(client, method, known=known)
    chat(client)
    ours.unwrap(client)
    chat(client)
    ours.wrap(client, prompt_cache_key="again")
    chat(client)
    ours.unwrap(client)
    chat(client)
    assert wire.ids() == ["k", None, "again", None]
    assert tool.calls == 4
    tool.leave()
    chat(client)
    ours.wrap(client, prompt_cache_key="last")
    chat(client)
    assert wire.ids() == [None, "last"]
    assert tool.calls == 4


def test_a_tool_that_takes_our_layer_off_is_noticed_at_the_next_wrap(wire: Wire) -> None:
    client = wire.client()
    before = client.request
    ours.wrap(client, prompt_cache_key="k")
    client.request = before
    ours.wrap(client, prompt_cache_key="again")
    chat(client)
    assert wire.ids() == ["again"]


def test_a_tool_that_replaces_the_class_s_method_is_called(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    completions = openai.resources.chat.completions.Completions
    create, calls = completions.create, []

    def traced(self: Any, **params: Any) -> Any:
        calls.append(self)
        return create(self, **params)

    monkeypatch.setattr(completions, "create", traced)
    chat(client)
    assert (wire.ids(), calls) == (["k"], [client.chat.completions])


def test_wrapping_often_adds_no_layers(wire: Wire) -> None:
    client = ours.wrap(wire.client())
    layers = dict(vars(client))
    for number in range(3_000):  # More than Python's stack is deep.
        ours.wrap(client, prompt_cache_key=str(number))
    assert dict(vars(client)) == layers
    chat(client)
    assert wire.ids() == ["2999"]


def test_unwrapping_leaves_nothing(wire: Wire) -> None:
    client = wire.client()
    completions = client.chat.completions
    before = dict(vars(client)), dict(vars(completions))
    ours.unwrap(client)
    tool = Tool(ours.wrap(client), "request")
    ours.unwrap(client)
    tool.leave()
    ours.unwrap(client)
    assert (dict(vars(client)), dict(vars(completions))) == before


def test_methods_that_were_taken_earlier_follow(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    create, raw = client.chat.completions.create, client.chat.completions.with_raw_response.create
    ours.unwrap(client)
    create(model="", messages=MESSAGES)
    raw(model="", messages=MESSAGES)
    ours.wrap(client, prompt_cache_key="again")
    create(model="", messages=MESSAGES)
    raw(model="", messages=MESSAGES)
    assert wire.ids() == [None, None, "again", "again"]


def test_copies_go_their_own_way(wire: Wire) -> None:
    parent = ours.wrap(wire.client(), prompt_cache_key="parent")
    child = parent.with_options(max_retries=0)
    ours.wrap(parent, prompt_cache_key="new")
    for client in (parent, child, parent.copy()):
        chat(client)
    assert wire.ids() == ["new", "parent", "new"]
    ours.unwrap(parent)
    for client in (parent, child, child.copy(), parent.copy()):
        chat(client)
    assert wire.ids() == [None, "parent", "parent", None]


OPENAI: Any = openai.OpenAI


class TenantClient(OPENAI):  # type: ignore[misc]  # Any, since openai may be absent.
    """A client that wraps itself and counts its requests."""

    requests = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        ours.wrap(self, prompt_cache_key="class")

    def request(self, *args: Any, **params: Any) -> Any:
        TenantClient.requests += 1
        return super().request(*args, **params)

    def with_options(self, **options: Any) -> Any:
        return self.copy(**options)


def test_subclasses_keep_their_methods(wire: Wire) -> None:
    client = wire.client(TenantClient)
    chat(client)
    ours.wrap(client, prompt_cache_key="k")
    assert type(client.with_options(timeout=1)) is TenantClient
    chat(client.with_options(timeout=1))
    ours.unwrap(client)
    chat(client)
    assert wire.ids() == ["class", "k", None]
    assert TenantClient.requests == 3


class FrozenClient(OPENAI):  # type: ignore[misc]  # Any, since openai may be absent.
    """A client that lets nobody replace its methods, and is equal to every other."""

    __hash__ = None  # type: ignore[assignment]  # As Python itself does for a class with __eq__ alone.

    def __setattr__(self, name: str, value: Any) -> None:
        if name in {"request", "copy", "with_options"}:
            raise AttributeError(name)
        super().__setattr__(name, value)

    def __eq__(self, _: object) -> bool:
        return True


def test_a_subclass_may_be_frozen_and_unhashable(wire: Wire) -> None:
    client = ours.wrap(wire.client(FrozenClient), prompt_cache_key="k")
    chat(client)
    ours.unwrap(client)
    chat(client)
    assert wire.ids() == ["k", None]


def test_a_mock_in_our_place_is_called_and_leaves_as_it_came(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    with unittest.mock.patch.object(client, "request", return_value="mocked"):
        assert chat(client) == "mocked"
        ours.wrap(client, prompt_cache_key="again")
        assert chat(client) == "mocked"
    chat(client)
    ours.unwrap(client)
    chat(client)
    assert wire.ids() == ["again", None]


def test_a_function_of_the_request_cannot_change_it(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key=lambda request: cast("dict[str, Any]", request).pop("model"))
    client.chat.completions.create(model="m", messages=MESSAGES)
    assert wire.sent == [{"model": "m", "messages": MESSAGES, "prompt_cache_key": "m"}]


def test_an_encoder_that_returns_no_bytes_is_named(wire: Wire) -> None:
    client = ours.wrap(wire.client(), encode=cast("Any", json.dumps))
    with pytest.raises(InvalidSettingsError, match=r"^encode: A value of type str is not bytes"):
        chat(client)
    with pytest.raises(InvalidSettingsError, match=r"^encode: "):
        ours.wrap(client, encode=cast("Any", "utf-8"))


def test_a_shallow_copy_can_be_wrapped_by_itself(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    other = copy.copy(client)
    ours.unwrap(other)
    chat(client)
    ours.wrap(other, prompt_cache_key="other")
    other.post("/chat/completions", body={"messages": MESSAGES}, cast_to=object)
    client.post("/chat/completions", body={"messages": MESSAGES}, cast_to=object)
    assert wire.ids() == ["k", "other", "k"]


def test_no_call_goes_out_unprepared_while_another_thread_wraps(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="0")
    done = threading.Event()
    errors: list[Exception] = []

    def wrap_again() -> None:
        number = 0
        while not done.is_set():
            number += 1
            ours.wrap(client, prompt_cache_key=str(number))

    def call() -> None:
        try:
            for _ in range(100):
                chat(client)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shall say it.
            errors.append(error)

    wrapping, callers = threading.Thread(target=wrap_again), [threading.Thread(target=call) for _ in range(2)]
    for thread in (wrapping, *callers):
        thread.start()
    for thread in callers:
        thread.join()
    done.set()
    wrapping.join()
    assert not errors
    assert len(wire.sent) == 200
    assert None not in wire.ids()


def test_threads_that_wrap_at_once_lay_one_layer(wire: Wire) -> None:
    client = wire.client()
    before = dict(vars(client))
    start = threading.Barrier(8)

    def wrap() -> None:
        start.wait()
        ours.wrap(client, prompt_cache_key="k")

    threads = [threading.Thread(target=wrap) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ours.unwrap(client)
    assert dict(vars(client)) == {**before, "chat": client.chat}


def test_a_wrapped_client_can_be_collected(wire: Wire) -> None:
    client = ours.wrap(wire.client(), prompt_cache_key="k")
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None


def not_async(below: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **params: Any) -> Any:
        return below(*args, **params)

    return call


@pytest.mark.parametrize("make", [not_async, lambda below: below])
def test_an_async_client_does_the_same_under_tools_of_either_kind(wire: Wire, make: Callable[[Any], Any]) -> None:
    async def run() -> None:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(wire.answer))
        client = openai.AsyncOpenAI(api_key="x", base_url="http://x/v1", http_client=http_client)
        client.request = make(client.request)
        ours.wrap(client, prompt_cache_key="k")
        await chat(client)
        await asyncio.gather(*(chat(client.with_options(timeout=1)) for _ in range(3)))
        ours.unwrap(client)
        await chat(client)

    asyncio.run(run())
    assert wire.ids() == ["k", "k", "k", "k", None]
