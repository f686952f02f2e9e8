"""A wrapped openai client sends what the plain one sends, however the call is made and whatever it is given."""

import datetime as dt
import enum
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

openai = pytest.importorskip("openai")
httpx2 = pytest.importorskip("httpx2")

from client.openai_chat import ANSWER, MESSAGES  # noqa: E402 - only where openai is installed.
from pydantic import BaseModel, Field  # noqa: E402 - only where openai is installed.

from warmroute.client import openai as ours  # noqa: E402
from warmroute.client.body_size import MAX_BODY_BYTES, BodyTooLargeError  # noqa: E402
from warmroute.prefix import CanonicalJsonError, canonical_json  # noqa: E402

BASE = "http://host/root/v1"


class Wire:
    """A plain client and a wrapped one, over one transport that keeps what they send."""

    def __init__(self, **options: Any) -> None:
        self.sent: list[Any] = []
        self.plain = self.client(**options)
        self.wrapped = ours.wrap(self.client(**options), prompt_cache_key="k")

    def client(self, **options: Any) -> Any:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        return openai.OpenAI(**{"api_key": "x", "base_url": BASE, **options}, http_client=http_client)

    def answer(self, request: Any) -> Any:
        request.read()
        self.sent.append(request)
        return httpx2.Response(200, json=ANSWER)


@pytest.fixture
def wire() -> Wire:
    return Wire()


def value_sent(request: Any) -> Any:
    """As JSON text, in which 1, 1.0 and true differ."""
    value = json.loads(request.content)
    assert value.pop("prompt_cache_key", "k") == "k"
    return json.dumps(value, sort_keys=True)


class Part(BaseModel):
    """A user's own model, with an alias, a time and a field that is not set."""

    kind: str = Field(default="text", serialization_alias="type")
    text: str = ""
    at: dt.datetime = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


class Colour(enum.StrEnum):
    """Text of a type of its own."""

    RED = "red"


class Level(enum.IntEnum):
    """A number of a type of its own."""

    LOW = 1


class Pair(NamedTuple):
    """A tuple of a type of its own."""

    a: int
    b: str


WORDS = st.text(max_size=4)
MODELS = st.builds(Part) | st.builds(Part, kind=WORDS, text=WORDS)
TIMES = st.datetimes(timezones=st.none() | st.just(dt.UTC))
OWN_TYPES = st.sampled_from([Colour.RED, Level.LOW, Pair(1, "b"), dt.date(2026, 1, 1), b"bytes", {1}, object()])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | TIMES | MODELS | OWN_TYPES
KEYS = WORDS | st.integers(-2, 2) | st.floats() | st.booleans() | st.none() | st.just(Colour.RED)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=5,
)
MESSAGE = st.fixed_dictionaries({"role": st.just("user"), "content": WORDS | VALUES}, optional={"more": VALUES})
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "tools": st.lists(st.fixed_dictionaries({"type": st.just("function"), "function": VALUES}), max_size=2),
    "extra_body": st.dictionaries(WORDS | st.sampled_from(["messages", "guided_json"]), VALUES, max_size=2),
    "metadata": st.dictionaries(WORDS, VALUES, max_size=2),
    "stop": VALUES,
    "temperature": st.floats(),
}
REQUESTS = st.fixed_dictionaries(
    {"model": WORDS, "messages": st.lists(MESSAGE | MODELS, max_size=3) | st.tuples(MESSAGE)}, optional=ARGUMENTS
)


@given(REQUESTS)
def test_what_the_plain_client_takes_the_wrapped_one_takes_and_sends(request: dict[str, Any]) -> None:
    wire = Wire()
    try:
        wire.plain.chat.completions.create(**request)
    except (TypeError, ValueError):  # No JSON: of its own kind the wrapped client says that too.
        with pytest.raises((TypeError, ValueError)):
            wire.wrapped.chat.completions.create(**request)
        return
    wire.wrapped.chat.completions.create(**request)
    plain, wrapped = wire.sent
    assert value_sent(wrapped) == value_sent(plain)


def nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


LENIENT: dict[str, Callable[[], Any]] = {
    "a time": lambda: {"messages": [{"role": "user", "content": "x", "at": dt.datetime(2026, 11, 30, tzinfo=dt.UTC)}]},
    "a model": lambda: {"messages": [Part(text="é"), {"role": "user", "content": [Part(text="é")]}]},
    "a number as a key": lambda: {"messages": MESSAGES, "extra_body": {"bias": {50256: -100, None: 1, True: 2}}},
    "equal keys": lambda: {"messages": MESSAGES, "extra_body": {"bias": {1: "one", "1": "text"}}},
    "tuples": lambda: {"messages": ({"role": "user", "content": ({"type": "text", "text": "é"},)},)},
    "generators": lambda: {
        "messages": ({"role": "user", "content": part} for part in ("é", "f")),
        "tools": iter([{"type": "function", "function": {"name": "f"}}]),
    },
    "a view of a dict": lambda: {"messages": {0: MESSAGES[0]}.values()},
    "parts from a generator": lambda: {
        "messages": [{"role": "user", "content": ({"type": "text", "text": text} for text in "éf")}]
    },
    "a hundred levels": lambda: {"messages": MESSAGES, "extra_body": {"deep": nested(100)}},
    "omitted": lambda: {"messages": MESSAGES, "extra_body": {"a": openai.omit, "b": openai.NOT_GIVEN}},
}


@pytest.mark.parametrize("name", LENIENT)
def test_more_than_json_is_written_as_the_library_writes_it(wire: Wire, name: str) -> None:
    for client in (wire.plain, wire.wrapped):
        client.chat.completions.create(model="", **LENIENT[name]())
    assert value_sent(wire.sent[1]) == value_sent(wire.sent[0])
    assert json.loads(wire.sent[1].content)["prompt_cache_key"] == "k"


def test_an_error_names_the_place_and_shows_no_text(wire: Wire) -> None:
    messages: Any = [{"role": "user", "content": "a secret", "file": object()}]
    with pytest.raises(CanonicalJsonError, match=r"messages\[0\]\.file") as caught:
        wire.wrapped.chat.completions.create(model="", messages=messages)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


SPELLINGS = [
    "/chat/completions",
    "chat/completions",
    "/chat/completions/",
    "/chat/completions?a=1",
    "/chat/./completions",
    "/chat/../chat/completions",
    "/chat/%63ompletions",
    f"{BASE}/chat/completions",
    "http://elsewhere/chat/completions?a=1",
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_chat_is_known_by_where_it_goes(wire: Wire, path: str) -> None:
    wire.wrapped.post(path, body={"messages": MESSAGES}, cast_to=object)
    assert wire.sent[0].content == canonical_json({"messages": MESSAGES, "prompt_cache_key": "k"})


def test_the_base_url_is_part_of_where_it_goes() -> None:
    wire = Wire(base_url="http://host/v1/chat")
    wire.wrapped.post("completions", body={"messages": MESSAGES}, cast_to=object)
    assert wire.sent[0].content == canonical_json({"messages": MESSAGES, "prompt_cache_key": "k"})


@pytest.mark.parametrize(
    "path", ["/embeddings", "/chat/completions/id", "/completions", "/responses", "/xchat/completions"]
)
def test_what_goes_elsewhere_is_left_alone(wire: Wire, path: str) -> None:
    wire.wrapped.post(path, body={"b": "é", "a": 1}, cast_to=object)
    assert wire.sent[0].content == '{"b":"é","a":1}'.encode()


def test_other_apis_and_methods_are_left_alone(wire: Wire) -> None:
    for client in (wire.plain, wire.wrapped):
        client.responses.create(model="m", input="é")
        client.completions.create(model="m", prompt="é")
        client.embeddings.create(model="m", input="é", encoding_format="float")
        client.chat.completions.list(model="m")
        client.chat.completions.update("id", metadata={"b": "1", "a": "2"})
    half = len(wire.sent) // 2
    assert [request.content for request in wire.sent[:half]] == [request.content for request in wire.sent[half:]]


WAYS: dict[str, Callable[[Any], Any]] = {
    "raw": lambda client: client.with_raw_response.chat.completions.create(model="", messages=MESSAGES),
    "raw of chat": lambda client: client.chat.with_raw_response.completions.create(model="", messages=MESSAGES),
    "streamed": lambda client: client.chat.completions.with_streaming_response.create(
        model="", messages=MESSAGES
    ).__enter__(),
    "copy": lambda client: client.copy(max_retries=0).chat.completions.create(model="", messages=MESSAGES),
    "copy of a copy, raw": lambda client: (
        client.with_options(timeout=3).copy().chat.completions.with_raw_response.create(model="", messages=MESSAGES)
    ),
    "beta": lambda client: client.beta.chat.completions.create(model="", messages=MESSAGES),
    "beta parse": lambda client: client.beta.chat.completions.parse(model="", messages=MESSAGES),
    "json bytes": lambda client: client.post(
        "/chat/completions", content=json.dumps({"messages": MESSAGES}).encode(), cast_to=object
    ),
    "fields of their own": lambda client: client.post(
        "/chat/completions", cast_to=object, options={"extra_json": {"messages": MESSAGES}}
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_every_way_to_send_a_chat_is_prepared(wire: Wire, name: str) -> None:
    if name.startswith("beta") and not hasattr(wire.plain.beta, "chat"):
        pytest.skip("This openai has no chat in beta.")
    for client in (wire.plain, wire.wrapped):
        WAYS[name](client)
    plain, wrapped = wire.sent
    assert wrapped.content == canonical_json({**json.loads(plain.content), "prompt_cache_key": "k"})


LEFT: dict[str, Callable[[], dict[str, Any]]] = {
    "no JSON": lambda: {"content": b"{ bad"},
    "equal keys": lambda: {"content": b'{"a": 1, "a": 2}'},
    "a list": lambda: {"content": b"[ 1 ]"},
    "an iterator": lambda: {"content": iter([b"{ ", b"}"])},
    "another type": lambda: {"content": b"{ }", "options": {"headers": {"content-type": "text/plain"}}},
    "a form": lambda: {"body": {"a": "b"}, "options": {"headers": {"Content-Type": "multipart/form-data; boundary=x"}}},
    "a file": lambda: {"body": {"a": "b"}, "files": {"f": b"x"}, "options": {"headers": {}}},
}


@pytest.mark.parametrize("name", LEFT)
def test_bodies_of_no_chat_go_as_they_are(wire: Wire, name: str) -> None:
    wire.plain.post("/chat/completions", cast_to=object, **LEFT[name]())
    wire.wrapped.post("/chat/completions", cast_to=object, **LEFT[name]())
    plain, wrapped = (request.content for request in wire.sent)
    assert wrapped == plain or name == "a file"  # A boundary is random.
    assert b"prompt_cache_key" not in wrapped


def test_written_bodies_have_the_limit_and_their_own_key(wire: Wire) -> None:
    post = wire.wrapped.post
    post("/chat/completions", content=b'{"prompt_cache_key": "own"}', cast_to=object)
    assert wire.sent[0].content == b'{"prompt_cache_key":"own"}'
    with pytest.raises(BodyTooLargeError):
        post("/chat/completions", content=b"x" * (MAX_BODY_BYTES + 1), cast_to=object)
    assert len(wire.sent) == 1
