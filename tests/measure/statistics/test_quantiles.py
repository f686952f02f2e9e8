from __future__ import annotations

import pickle
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, mstats

from warmroute.measure.statistics import TooFewRequestsError, quantile, requests_needed

LATENCIES = st.lists(st.floats(0.001, 1_000), min_size=40, max_size=120)


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.99])
def test_the_estimate_is_that_of_harrell_and_davis(probability):
    latencies = np.random.default_rng(1).lognormal(size=500)

    assert quantile(latencies, probability) == pytest.approx(float(mstats.hdquantiles(latencies, [probability])[0]))


def test_the_order_of_the_requests_does_not_matter():
    latencies = np.random.default_rng(2).lognormal(size=100).tolist()

    assert quantile(latencies, 0.9) == quantile(latencies[::-1], 0.9)


@given(LATENCIES, st.data())
def test_a_request_that_fails_never_shortens_a_quantile(latencies, data):
    failing = data.draw(st.sets(st.integers(0, len(latencies) - 1), max_size=len(latencies)))
    failed = [inf if place in failing else latency for place, latency in enumerate(latencies)]

    for probability in (0.5, 0.9):
        assert quantile(failed, probability) >= quantile(latencies, probability) * (1 - 1e-12)


def test_failed_requests_that_reach_a_quantile_make_it_infinite():
    latencies = [1.0] * 890 + [inf] * 110

    assert quantile(latencies, 0.9) == inf
    assert quantile(latencies, 0.5) == 1.0


def test_few_failed_requests_leave_a_quantile_far_below_them_finite():
    latencies = [*np.linspace(1, 2, 999), inf]

    assert quantile(latencies, 0.9) == pytest.approx(1.9, rel=0.01)


def test_the_weight_that_makes_a_quantile_infinite_is_a_ten_thousandth():
    def weight_of_the_longest(failed):
        return 1 - beta.cdf(1 - failed / 1_000, 1_001 * 0.99, 1_001 * 0.01)

    failed = next(count for count in range(1, 20) if weight_of_the_longest(count) > 1e-4)

    assert quantile([1.0] * (1_000 - failed) + [inf] * failed, 0.99) == inf
    assert quantile([1.0] * (1_001 - failed) + [inf] * (failed - 1), 0.99) == 1.0


def test_all_failed():
    assert quantile([inf] * 50, 0.5) == inf


@pytest.mark.parametrize(("probability", "needed"), [(0.5, 6), (0.9, 36), (0.99, 368), (0.999, 3_688)])
def test_requests_that_a_quantile_needs(probability, needed):
    assert requests_needed(probability) == needed
    # The longest of so many lies above the quantile with 97.5 %, and of one fewer with less.
    assert 1 - probability**needed >= 0.975 > 1 - probability ** (needed - 1)


def test_a_quantile_of_too_few_requests_is_refused_with_the_number_needed():
    with pytest.raises(TooFewRequestsError, match=r"P99 of 367 requests is not told: it needs 368\.") as caught:
        quantile([1.0] * 367, 0.99)

    assert caught.value.needed == 368
    assert pickle.loads(pickle.dumps(caught.value)).needed == 368
    assert quantile([1.0] * 368, 0.99) == pytest.approx(1.0)
