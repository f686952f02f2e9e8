"""The figures of an arm, on answers whose figures are plain to see."""

from __future__ import annotations

import pytest

from warmroute.demo.experiment import Answer
from warmroute.demo.summary import summarise


def _answer(key: str, instance: str, cached: int = 0, ttft: float = 0.1) -> Answer:
    return Answer(key.encode(), instance, 100, cached, overflowed=False, ttft_seconds=ttft)


def test_shares_and_hit_rate_are_over_all_requests() -> None:
    summary = summarise(
        [_answer("a", "1"), _answer("a", "1", 100), _answer("a", "2", 50), _answer("b", "1")], instances=3
    )

    assert summary.requests == 4
    assert summary.prefixes == 2
    assert summary.instance_shares == (0.75, 0.25, 0.0)
    assert summary.cache_hit_rate == pytest.approx(150 / 400)


def test_only_beginnings_that_are_shared_count_for_the_instances_that_they_met() -> None:
    summary = summarise(
        [_answer("a", "1"), _answer("a", "2"), _answer("b", "1"), _answer("b", "1"), _answer("c", "3")], instances=3
    )

    assert summary.instances_per_prefix == pytest.approx(1.5)


def test_percentiles_of_the_time_to_first_token() -> None:
    summary = summarise([_answer("a", "1", ttft=number / 100) for number in range(101)], instances=3)

    assert summary.ttft_p50_seconds == pytest.approx(0.5)
    assert summary.ttft_p90_seconds == pytest.approx(0.9)


def test_a_single_answer_is_its_own_percentile() -> None:
    assert summarise([_answer("a", "1", ttft=0.2)], instances=1).ttft_p90_seconds == 0.2
