"""What ``lint`` advises about a request that is shorter than the window does help."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from warmroute.prefix import canonical_json, lint, routing_key
from warmroute.routing import MIN_PREFIX_LENGTH


@given(st.integers(0, 6_000))
def test_a_growing_conversation_keeps_its_key_by_what_is_advised_and_not_by_an_id_alone(size: int) -> None:
    turn = {"messages": [{"role": "system", "content": "x" * size}]}
    grown = {"messages": [*turn["messages"], {"role": "user", "content": "And then?"}]}
    bodies = canonical_json(turn), canonical_json(grown)
    key = partial(routing_key, api="invoke", prefix_aware_id="one-conversation")

    short = [each for each in lint([(1, bodies[0])], api="invoke", prefix_length=4_096) if each.id == "WP103"]

    assert bool(short) == (len(bodies[0]) < 4_096)
    if short:
        assert len({key(body, prefix_length=4_096) for body in bodies}) == 2
        fills = len(bodies[0]) >= MIN_PREFIX_LENGTH
        assert ("prefix length that the messages of the first turn fill" in short[0].remedy) == fills
        assert ("Put more of what stays the same before the conversation" in short[0].remedy) == (not fills)
        filled = len(bodies[0]) - len("]}")
        assert len({key(body, prefix_length=filled) for body in bodies}) == 1
