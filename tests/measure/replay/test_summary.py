"""Whether a run may be compared."""

from __future__ import annotations

import math

import pytest

from warmroute.measure import ReplayedRequest
from warmroute.measure.replay.summary import Tally, clock_problems, quantiles


def row(number, *, lag=0.0, ttft=2.0, error=None, wait=0.0):
    return ReplayedRequest(
        arm="a",
        pair=0,
        position=0,
        index=number,
        planned_seconds=1.0,
        sent_seconds=1.0 + lag,
        ttft_seconds=math.inf if error else ttft,
        e2e_seconds=math.inf if error else ttft + 1,
        inter_token_seconds=math.inf if error else math.nan,
        input_tokens=1,
        output_tokens=1,
        cached_tokens=None,
        error=error,
        connection_wait_seconds=wait,
    )


def summary(*rows):
    tally = Tally()
    for each in rows:
        tally.add(each)
    return tally.summary()


def test_a_run_that_keeps_its_times_is_valid():
    found = summary(*(row(number, lag=0.001) for number in range(200)), row(200, lag=0.2))
    assert found.problems == ()
    assert found.send_lag.max == pytest.approx(0.2)
    assert found.send_lag.p99 == pytest.approx(0.001)
    assert (found.planned, found.sent, found.answered, found.complete) == (201, 201, 201, True)


def test_a_run_that_lags_is_not():
    (problem,) = summary(*(row(number, lag=0.06) for number in range(200))).problems
    assert problem == (
        "The client lagged: P99 of the send lag is 60.0 ms, above 50 ms. "
        "The machine is too slow or too busy for this rate."
    )


def test_nor_one_that_lags_for_the_times_it_measures():
    (problem,) = summary(*(row(number, lag=0.006, ttft=0.1) for number in range(200))).problems
    assert "6.0 ms, above 5% of the time to first token's P50, 100.0 ms" in problem


def test_a_lack_of_connections_is_told():
    (problem,) = summary(*(row(number, lag=0.06, wait=0.06) for number in range(200))).problems
    assert "allow more" in problem


def test_errors_are_counted_and_no_answer_is_a_problem():
    found = summary(row(0, error="HTTP 500"), row(1, error="HTTP 500"), row(2, error="broke off"))
    assert found.errors == {"HTTP 500": 2, "broke off": 1}
    assert found.problems == ("No request was answered.",)
    assert math.isnan(found.ttft.p50)


def test_a_clock_that_jumps_is_told():
    assert clock_problems(10.0, 10.4) == []
    assert clock_problems(3_610.0, 10.0) == [
        "The clock of this machine moved by +3,600.0 s during the run: it was set, or the machine slept."
    ]
    assert "-5.0 s" in clock_problems(5.0, 10.0)[0]


def test_quantiles_lie_between_neighbours():
    found = quantiles([4.0, 1.0, 2.0, 3.0, 5.0])
    assert (found.p50, found.p90, found.max) == (3.0, pytest.approx(4.6), 5.0)


def test_a_lag_that_was_allowed_is_no_problem():
    tally = Tally()
    for index in range(100):
        tally.add(row(index, lag=0.2))

    assert any("client lagged" in problem for problem in tally.summary().problems)
    assert tally.summary(largest_lag_seconds=0.3).problems == ()
    assert "above 100 ms" in tally.summary(largest_lag_seconds=0.1).problems[0]
