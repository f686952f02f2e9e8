"""The generated conversations are the same everywhere and share what they should."""

from __future__ import annotations

from collections import Counter

import orjson
import pytest

from warmroute.demo import example_spec, generated_requests
from warmroute.demo.conversations import HANDBOOK_CHARACTERS, REQUESTS_PER_HANDBOOK
from warmroute.hosting import check
from warmroute.prefix import routing_key


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    def body(seed: int) -> bytes:
        return b"\n".join(request.body for request in generated_requests(seed=seed))

    assert body(1) == body(1) != body(2)


def test_every_handbook_is_one_routing_key() -> None:
    keys = Counter(
        routing_key(request.body, api="invoke", prefix_length=4096).digest for request in generated_requests()
    )

    assert len(keys) == 24
    assert set(keys.values()) == {REQUESTS_PER_HANDBOOK}


@pytest.mark.parametrize("count", [1, 6, 7, 145])
def test_as_many_as_wanted(count: int) -> None:
    assert len(generated_requests(count)) == count


def test_turns_stay_in_order_and_grow() -> None:
    seen: dict[str, tuple[int, int]] = {}
    for request in generated_requests():
        turn, length = seen.get(request.session, (-1, 0))
        assert request.turn == turn + 1
        messages = orjson.loads(request.body)["messages"]
        assert len(messages) > length
        assert len(messages[0]["content"]) >= HANDBOOK_CHARACTERS
        seen[request.session] = request.turn, len(messages)


def test_the_example_spec_is_free_of_findings() -> None:
    assert check(example_spec()) == []
