"""The generated conversations are the same everywhere and share what they should."""

from __future__ import annotations

from collections import Counter

import orjson

from warmroute.demo import example_spec, generated_requests
from warmroute.demo.conversations import CONVERSATIONS_PER_HANDBOOK, HANDBOOK_CHARACTERS, HANDBOOKS, TURNS
from warmroute.hosting import check
from warmroute.prefix import canonical_json, routing_key


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    def body(seed: int) -> bytes:
        return orjson.dumps([request.messages for request in generated_requests(seed)])

    assert body(1) == body(1) != body(2)


def test_every_handbook_is_one_routing_key() -> None:
    keys = Counter(
        routing_key(canonical_json({"messages": list(request.messages)}), api="invoke", prefix_length=4096).digest
        for request in generated_requests()
    )

    assert len(keys) == HANDBOOKS
    assert set(keys.values()) == {CONVERSATIONS_PER_HANDBOOK * TURNS}


def test_turns_stay_in_order_and_grow() -> None:
    seen: dict[str, tuple[int, int]] = {}
    for request in generated_requests():
        turn, length = seen.get(request.session, (-1, 0))
        assert request.turn == turn + 1
        assert len(request.messages) > length
        assert len(request.messages[0]["content"]) >= HANDBOOK_CHARACTERS
        seen[request.session] = request.turn, len(request.messages)


def test_the_example_spec_is_free_of_findings() -> None:
    assert check(example_spec()) == []
