"""Two requests have equal keys exactly when id and compared beginning are equal."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.prefix import RoutingKey, routing_key

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


@pytest.mark.parametrize(
    ("request_", "api", "length", "id_", "path"),
    [
        (b"", "invoke", 0, "", "prefix_length"),
        (b"", "invoke", True, "", "prefix_length"),
        (b"", "invoke", 1_024, "é", "prefix_aware_id"),
        ("{}", "invoke", 1_024, "", "request"),
        (b"{}", "openai", 1_024, "", "request.messages"),
        ({"prompt": "Hi"}, "openai", 1_024, "", "request.messages"),
        (b"", "converse", 1_024, "", "api"),
    ],
)
def test_unusable_arguments_are_named(request_: Any, api: Any, length: int, id_: str, path: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        routing_key(request_, api=api, prefix_length=length, prefix_aware_id=id_)
    assert [finding.path for finding in caught.value.findings] == [path]
