from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tune.made import conversations, documents, observed, row

from warmroute.fleet import EngineProfile
from warmroute.tune import Observed, workload
from warmroute.tune.affinity import SharedTokens
from warmroute.tune.candidates import Lengths, candidate_lengths, candidate_thresholds

if TYPE_CHECKING:
    from warmroute.tune.trace import FinerKeys

TRACES = Path(os.environ.get("WARMROUTE_TRACES", Path(__file__).parents[2] / "../shared/traces"))


def lengths_of(of: Observed, instances: int = 4, finer: FinerKeys | None = None) -> Lengths:
    work = workload(of, instances=instances, profile=EngineProfile())
    return Lengths(of, work, SharedTokens(work.requests, block_size=16), "openai", instances=instances, finer=finer)


@settings(max_examples=15)
@given(st.integers(0, 12), st.integers(8, 60))
def test_the_length_lies_past_the_common_head_and_within_what_is_shared(head: int, document: int) -> None:
    of = documents(head=head * 512, document=document * 512, requests=200, documents=10, rate=10)
    chosen, *_ = candidate_lengths(lengths_of(of, instances=2), of.ladder)

    assert head * 512 < chosen <= (head + document) * 512


def test_growing_conversations_are_told_apart_by_their_first_turn() -> None:
    of = conversations(head=3_072, turn=1_024, turns=8, sessions=40, rate=10)
    chosen, *_ = candidate_lengths(lengths_of(of), of.ladder)

    assert 3_072 < chosen <= 4_096


def test_the_closest_lengths_are_looked_between_where_the_texts_are_at_hand() -> None:
    texts = ["h" * 4_500 + f"{number % 30:03}" * 400 + f"{number:05}" * 300 for number in range(240)]
    asked: list[int] = []

    def finer(_: str, lengths: Sequence[int]) -> Mapping[int, Sequence[Hashable]]:
        asked.extend(lengths)
        return {length: [text[:length] for text in texts] for length in lengths}

    of = observed([row(text, arrival_seconds=float(at), output_tokens=1) for at, text in enumerate(texts)])
    chosen, *_ = candidate_lengths(lengths_of(of, finer=finer), of.ladder)

    assert asked
    assert 4_500 < chosen <= 5_700


@given(st.floats(0.1, 300), st.one_of(st.just(inf), st.floats(0.1, 2_000)))
def test_thresholds_reach_from_below_the_healthy_level_to_the_largest(healthy: float, overflowing: float) -> None:
    thresholds = candidate_thresholds(healthy, overflowing, 1_024)

    assert all(before < after for before, after in pairwise(thresholds))
    assert thresholds[0] >= 1
    assert thresholds[-1] == 1_024
    if overflowing < 800:
        assert any(1.2 * overflowing <= threshold <= 1.2 * overflowing + 1 for threshold in thresholds)


@pytest.mark.skipif(not TRACES.is_dir(), reason=f"the public traces are not in {TRACES}; set WARMROUTE_TRACES")
def test_tau_bench_needs_a_length_just_past_its_system_prompt() -> None:
    texts, rows = [], []
    runs = orjson.loads((TRACES / "tau-bench/gpt-4o-airline.json").read_bytes())
    for session, run in enumerate(runs[:100]):
        text, turn = "", 0
        for message in run["traj"]:
            if message["role"] == "assistant":
                texts.append(text)
                rows.append(row(text, session=session, turn=turn, output_tokens=60))
                turn += 1
            text += message.get("content") or ""

    def finer(_: str, lengths: Sequence[int]) -> Mapping[int, Sequence[Hashable]]:
        return {length: [text[:length] for text in texts] for length in lengths}

    lengths = lengths_of(observed(rows), finer=finer)
    chosen, *_ = candidate_lengths(lengths, observed(rows).ladder)

    assert 6_200 <= chosen <= 8_200
    assert lengths.profiles[4_096].keys == 1
    coarse, *_ = candidate_lengths(lengths_of(observed(rows)), observed(rows).ladder)
    assert 6_200 <= coarse <= 8_200
