"""Two requests have equal keys exactly when id and compared beginning are equal."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError, Severity
from warmroute.prefix import RoutingKey, routing_key
from warmroute.prefix.key import check_prefix_length, check_request, message_texts

bodies = st.binary(max_size=6) | st.sampled_from([b"\0", b"\0\0", b"aa", b"aab"])
ids = st.sampled_from(["", "a", "aa", "b"])
lengths = st.integers(1, 8)
contents = st.text(max_size=4)


def chat(*contents: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}


@given(bodies, bodies, ids, ids, lengths)
def test_keys_are_equal_exactly_when_id_and_window_are(
    one: bytes, other: bytes, one_id: str, other_id: str, length: int
) -> None:
    left = routing_key(one, api="invoke", prefix_length=length, prefix_aware_id=one_id)
    right = routing_key(other, api="invoke", prefix_length=length, prefix_aware_id=other_id)
    assert (left == right) == ((one_id, one[:length]) == (other_id, other[:length]))
    assert (left.digest == right.digest) == (left == right)
    assert left != right or hash(left) == hash(right)


@given(bodies, bodies, ids, lengths)
def test_only_a_request_that_fills_the_window_keeps_its_key_as_it_grows(
    body: bytes, more: bytes, id_: str, length: int
) -> None:
    """An id does not change that, and lint does not say so."""
    key = routing_key(body, api="invoke", prefix_length=length, prefix_aware_id=id_)
    grown = routing_key(body + more, api="invoke", prefix_length=length, prefix_aware_id=id_)
    assert key.fills == (len(body) >= length)
    assert (key.length, key.window) == (len(body), min(len(body), length))
    assert (key == grown) == (key.fills or not more)


@given(st.lists(contents, max_size=4), lengths)
def test_message_texts_count_as_one_text(texts: list[str], length: int) -> None:
    joined = routing_key(chat("".join(texts)), api="openai", prefix_length=length)
    parts = [{"type": "text", "text": text} for text in texts]
    assert routing_key(chat(*texts), api="openai", prefix_length=length) == joined
    assert routing_key(chat(parts), api="openai", prefix_length=length) == joined
    assert joined.length == len("".join(texts))
    assert joined.fills == (joined.length >= length)


@given(contents, contents, lengths)
def test_openai_keys_compare_code_points(one: str, other: str, length: int) -> None:
    left = routing_key(chat(one), api="openai", prefix_length=length)
    right = routing_key(chat(other), api="openai", prefix_length=length)
    assert (left == right) == (one[:length] == other[:length])


def test_only_text_counts_on_the_openai_api() -> None:
    bare = routing_key(chat("Hi"), api="openai", prefix_length=1_024)
    rich = {
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "temperature": 0.5,
        "messages": [
            {"role": "system", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "Hi"}],
            },
        ],
    }
    assert routing_key(rich, api="openai", prefix_length=1_024) == bare


def test_the_two_apis_never_share_a_key() -> None:
    text = "x" * 1_024
    invoke = routing_key(text.encode(), api="invoke", prefix_length=1_024)
    assert invoke != routing_key(chat(text), api="openai", prefix_length=1_024)


def test_the_digest_is_framed_and_stays_the_same() -> None:
    body = b'{"messages":[]}'
    key = routing_key(body, api="invoke", prefix_length=1_024, prefix_aware_id="bot")
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in (b"invoke", b"bot", body))
    assert key == RoutingKey(sha256(b"warmroute/routing-key/1" + framed).digest(), window=15, length=15, fills=False)


NO_LENGTH = ("prefix_length", "The length is not a positive whole number.", "SageMaker takes 1,024 to 65,536.")
NO_MESSAGES = ("request.messages", "The request has no list of messages.", "Give a chat request as a mapping.")
NO_ID = (
    "prefix_aware_id",
    "The id has a character outside printable ASCII.",
    "Use 1 to 64 printable ASCII characters, or PrefixAwareId.derive(tenant, key=…).",
)


@pytest.mark.parametrize(
    ("request_", "api", "length", "id_", "said"),
    [
        (b"", "invoke", 0, "", NO_LENGTH),
        (b"", "invoke", True, "", NO_LENGTH),
        (b"", "invoke", 1.0, "", NO_LENGTH),
        (b"", "invoke", 1_024, "é", NO_ID),
        ("{}", "invoke", 1_024, "", ("request", "The body is a str, not bytes.", "Use canonical_json(request).")),
        (b"{}", "openai", 1_024, "", NO_MESSAGES),
        ({"prompt": "Hi"}, "openai", 1_024, "", NO_MESSAGES),
        ({"messages": "Hi"}, "openai", 1_024, "", NO_MESSAGES),
        (b"", "converse", 1_024, "", ("api", "There is no such API.", 'Use "invoke" or "openai".')),
    ],
)
def test_unusable_arguments_are_named(
    request_: Any, api: Any, length: Any, id_: str, said: tuple[str, str, str]
) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        routing_key(request_, api=api, prefix_length=length, prefix_aware_id=id_)
    [found] = caught.value.findings
    assert (found.id, found.severity, found.path, found.message, found.remedy) == ("WR006", Severity.ERROR, *said)


def test_a_refusal_names_its_source() -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        check_prefix_length(0)
    assert caught.value.findings[0].source == "botocore PrefixAwareRoutingConfig"


def test_one_character_is_a_window() -> None:
    assert routing_key(b"ab", api="invoke", prefix_length=1).window == 1


@pytest.mark.parametrize(("request_", "kind"), [(1, "int"), (["a"], "list"), (None, "NoneType")])
def test_what_is_no_request_is_named(request_: object, kind: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        check_request(request_)
    said = ("request", f"The request is a {kind}.", "Give a mapping, or JSON text as str or bytes.")
    [found] = caught.value.findings
    assert (found.path, found.message, found.remedy) == said


@given(st.lists(st.characters(), max_size=4), lengths)
def test_any_text_has_a_key(characters: list[str], length: int) -> None:
    text = "".join([*characters, "\ud800"])
    key = routing_key(chat(text), api="openai", prefix_length=length)
    assert key == routing_key(chat(*text), api="openai", prefix_length=length)
    assert (key.window, key.length) == (min(length, len(text)), len(text))


def test_only_text_content_and_text_parts_count() -> None:
    parts: list[Any] = [
        {"type": "text", "text": "a"},
        {"type": "input_audio", "text": "no"},
        {"text": "no"},
        {"type": "text", "text": 1},
        {"type": "text"},
        "no",
        {"type": "text", "text": "b"},
    ]
    messages: list[Any] = [*chat(parts, "c", None, 1)["messages"], "no", {"role": "user"}, *chat("d")["messages"]]
    expected = [
        (("messages", 0, "content", 0, "text"), "a"),
        (("messages", 0, "content", 6, "text"), "b"),
        (("messages", 1, "content"), "c"),
        (("messages", 6, "content"), "d"),
    ]
    for given_messages in (messages, tuple(messages)):
        assert list(message_texts({"messages": given_messages})) == expected
