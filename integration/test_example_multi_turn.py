"""Conversations keep their instance where the window is full from the first turn on, and lose it where it is not."""

from __future__ import annotations

import re

from example_runs import EXAMPLES, run_example

from warmroute import RoutingConfig, load_spec
from warmroute.local.testing import MakeEndpoint, RoutedRequest

pytest_plugins = ["warmroute.local.testing"]

SPEC = load_spec(EXAMPLES / "multi_turn/endpoint.yaml")
CONVERSATIONS, TURNS = 3, 4


def test_every_conversation_keeps_one_key_and_one_instance(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(SPEC)

    said = run_example("multi_turn", endpoint.environment)

    conversations = _by_conversation(endpoint.requests)
    assert all(len({request.key for request in each}) == 1 for each in conversations)
    assert all(len({request.instance for request in each}) == 1 for each in conversations)
    assert len({request.key for request in endpoint.requests}) == CONVERSATIONS
    assert all(cached > 0.8 * prompt for prompt, cached in _later_turns(said))
    # What it says of other settings is what the endpoint would do.
    assert re.findall(r"^ +(\d+) with", said, re.MULTILINE) == ["3", "1", "12"]


def test_a_window_longer_than_the_bodies_moves_every_turn_whatever_the_id(local_endpoint: MakeEndpoint) -> None:
    variant = SPEC.variants[0].model_copy(
        update={"routing_config": RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)}
    )
    endpoint = local_endpoint(SPEC.model_copy(update={"variants": (variant,)}))

    run_example("multi_turn", endpoint.environment)

    assert len({request.key for request in endpoint.requests}) == CONVERSATIONS * TURNS


def _by_conversation(requests: list[RoutedRequest]) -> list[list[RoutedRequest]]:
    """The program asks one question of every conversation before it goes on to the next."""
    assert [request.status for request in requests] == [200] * CONVERSATIONS * TURNS
    return [requests[first::CONVERSATIONS] for first in range(CONVERSATIONS)]


def _later_turns(said: str) -> list[tuple[int, int]]:
    told = re.findall(r"^Turn (\d) of .*: (\d+) in the prompt, (\d+) of them cached$", said, re.MULTILINE)
    assert len(told) == CONVERSATIONS * TURNS
    return [(int(prompt), int(cached)) for turn, prompt, cached in told if turn != "1"]
