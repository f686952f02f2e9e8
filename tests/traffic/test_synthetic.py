from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.traffic.synthetic import Burst, poisson_arrivals

bursts = st.lists(st.builds(Burst, st.floats(-5, 40), st.floats(0.1, 20), st.floats(0.1, 4)), max_size=4)


@given(bursts, st.integers(0, 5))
def test_times_are_in_order_and_the_same_for_a_seed(drawn, seed):
    times = list(poisson_arrivals(5.0, 30.0, bursts=drawn, seed=seed))
    assert times == sorted(times) == list(poisson_arrivals(5.0, 30.0, bursts=drawn, seed=seed))
    assert all(0 <= at < 30 for at in times)


def test_the_rate_is_that_which_was_asked_for_and_bursts_multiply_it():
    times = list(poisson_arrivals(20.0, 1_000.0, bursts=[Burst(300, 200, 3.0), Burst(400, 200, 0.5)], seed=1))
    for begin, end, rate in ((0, 300, 20), (300, 400, 60), (400, 500, 30), (500, 600, 10), (600, 1_000, 20)):
        assert sum(begin <= at < end for at in times) / (end - begin) == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize(
    "wrong", [{"requests_per_second": 0}, {"requests_per_second": math.inf}, {"bursts": [Burst(1, 1, math.nan)]}]
)
def test_a_rate_that_is_none_is_refused(wrong):
    with pytest.raises(WarmrouteError, match="above 0"):
        poisson_arrivals(**{"requests_per_second": 1.0, "duration_seconds": 10.0, **wrong})
