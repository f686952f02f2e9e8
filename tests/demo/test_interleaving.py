"""Recorded conversations are put side by side without changing any of them."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from warmroute.demo import interleaved
from warmroute.traffic import TrafficRequest

conversation_lengths = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def _recorded(lengths: list[int]) -> list[TrafficRequest]:
    return [
        TrafficRequest(source="made", line=1, session=str(session), turn=turn)
        for session, length in enumerate(lengths)
        for turn in range(length)
    ]


@given(conversation_lengths, st.integers(1, 50))
def test_as_many_as_wanted_each_once_and_in_the_order_of_its_conversation(lengths: list[int], count: int) -> None:
    chosen = interleaved(_recorded(lengths), count)

    assert len(chosen) == min(count, sum(lengths))
    turns = defaultdict(list)
    for request in chosen:
        turns[request.session].append(request.turn)
    assert all(made == list(range(len(made))) for made in turns.values())


@given(conversation_lengths)
def test_all_conversations_begin_before_any_goes_on(lengths: list[int]) -> None:
    chosen = interleaved(_recorded(lengths), sum(lengths))

    assert [request.turn for request in chosen] == sorted(request.turn for request in chosen)


def test_no_more_conversations_than_needed() -> None:
    assert {request.session for request in interleaved(_recorded([3, 3, 3]), 4)} == {"0", "1"}
