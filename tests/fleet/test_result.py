from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import FleetConfig, FleetRequest, Prompt, RequestRecord, SimulationResult, simulate
from warmroute.fleet.result import percentiles


def result(*e2e: float) -> SimulationResult:
    """One request a second, each of 100 prompt tokens of which 40 are cached, and 10 tokens out."""
    made = SimulationResult()
    for number, seconds in enumerate(e2e):
        made[made.add()] = RequestRecord(
            float(number), number % 2, seconds / 2, seconds, 100, 40, 10, overflowed=number == 3, retried=False
        )
    return made


def test_a_summary_adds_up_what_it_covers():
    summary = result(1.0, 2.0, 3.0, 4.0).summary()
    assert (summary.requests, summary.refused, summary.retried) == (4, 0, 0)
    assert summary.e2e.mean == 2.5
    assert summary.ttft.p50 == 1.0
    assert summary.hit_rate == 0.4
    assert summary.overflow_share == 0.25
    assert summary.share_by_instance == {0: 0.5, 1: 0.5}
    assert summary.requests_per_second == pytest.approx(4 / 7)
    assert summary.output_tokens_per_second == pytest.approx(40 / 7)


def test_a_summary_can_leave_out_the_cold_start():
    summary = result(9.0, 9.0, 1.0, 1.0).summary(from_seconds=2.0, to_seconds=3.0)
    assert (summary.requests, summary.e2e.mean) == (1, 1.0)


def test_records_can_be_read_one_by_one():
    made = result(1.0, 2.0)
    assert [each.arrival_seconds for each in made] == [0.0, 1.0]
    assert made[1].e2e_seconds == 2.0
    with pytest.raises(IndexError):
        made[2]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300))
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(values):
    found = percentiles(values)
    for percent, value in ((50, found.p50), (90, found.p90), (99, found.p99)):
        assert sum(each <= value for each in values) * 100 >= percent * len(values)
        assert sum(each < value for each in values) * 100 < percent * len(values)


def test_a_record_takes_few_bytes():
    requests = [FleetRequest(float(number), Prompt(10), 1) for number in range(50)]
    assert len(bytes(simulate(requests, FleetConfig(instances=1)))) <= 50 * 48
