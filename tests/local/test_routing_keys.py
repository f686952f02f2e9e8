"""What the data plane compares of a request, as its fleet is configured."""

from __future__ import annotations

import orjson
import pytest

from warmroute.local.data.failures import Refusal
from warmroute.local.data.routing_keys import chat_key, invocation_key
from warmroute.prefix import routing_key
from warmroute.routing import RoutingConfig

PREFIX_AWARE = RoutingConfig.prefix_aware(prefix_length=1_024, concurrency_threshold=4)
CHAT = {"messages": [{"role": "user", "content": "Hello " * 300}]}
BODY = orjson.dumps(CHAT)


def test_keys_are_those_of_the_client_side():
    native = routing_key(BODY, api="invoke", prefix_length=1_024, prefix_aware_id="acme").digest
    assert invocation_key(PREFIX_AWARE, BODY, "acme") == native
    assert chat_key(PREFIX_AWARE, BODY) == routing_key(CHAT, api="openai", prefix_length=1_024).digest


def test_prompt_cache_key_is_the_id_of_a_chat():
    told = orjson.dumps({**CHAT, "prompt_cache_key": "acme"})
    assert chat_key(PREFIX_AWARE, told) != chat_key(PREFIX_AWARE, BODY)
    expected = routing_key(CHAT, api="openai", prefix_length=1_024, prefix_aware_id="acme").digest
    assert chat_key(PREFIX_AWARE, told) == expected


@pytest.mark.parametrize("routing", [None, RoutingConfig.random()])
def test_other_strategies_compare_nothing(routing):
    assert invocation_key(routing, BODY, "acme") == b""
    assert chat_key(routing, BODY) == b""


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"{}", b'{"messages": "Hello"}', b"\xff"])
def test_what_is_no_chat_has_no_key_and_is_left_to_the_container(body):
    assert chat_key(PREFIX_AWARE, body) == b""


@pytest.mark.parametrize("id_", ["x" * 65, "é", "a\nb"])
def test_a_malformed_id_is_refused_by_its_name(id_):
    with pytest.raises(Refusal, match="PrefixAwareId: "):
        invocation_key(PREFIX_AWARE, BODY, id_)
    with pytest.raises(Refusal, match="prompt_cache_key: "):
        chat_key(PREFIX_AWARE, orjson.dumps({**CHAT, "prompt_cache_key": id_}))


def test_a_cache_key_that_is_no_text_is_refused():
    with pytest.raises(Refusal, match="prompt_cache_key: the key is not text"):
        chat_key(PREFIX_AWARE, orjson.dumps({**CHAT, "prompt_cache_key": 7}))
