"""The shift of a typical request, and intervals within one run: shown, never decided by."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import inf, isnan, log
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter

from warmroute.measure.statistics import TooFewRequestsError, quantile, typical_shift, within_run_interval

TIMES = st.lists(st.tuples(st.floats(0.01, 10), st.floats(0.01, 10)), min_size=1, max_size=20)


@given(TIMES)
def test_the_shift_is_the_median_of_all_mean_pairs(times):
    differences = [log(after) - log(before) for after, before in times]
    expected = median((one + other) / 2 for one, other in combinations_with_replacement(differences, 2))

    assert typical_shift(*zip(*times, strict=True)) == pytest.approx(expected, abs=1e-12)


def test_the_shift_of_many_requests():
    random = np.random.default_rng(3)
    before = random.lognormal(size=20_000)
    after = before * 0.8 * random.lognormal(sigma=0.1, size=20_000)

    assert typical_shift(after, before) == pytest.approx(log(0.8), abs=0.005)


def test_failed_requests_count_in_the_shift():
    assert typical_shift([inf, inf, inf], [1, 1, 1]) == inf
    assert typical_shift([1, 1, inf], [1, inf, 1]) == 0.0
    assert typical_shift([inf, inf], [inf, inf]) == 0.0
    assert isnan(typical_shift([], []))


def latencies(count, correlation, seed):
    noise = np.random.default_rng(seed).normal(size=count)
    return np.exp(lfilter([1], [1, -correlation], noise) * 0.3)


def test_an_interval_within_a_run_says_that_it_is_no_more():
    found = within_run_interval(latencies(400, 0.0, 1), 0.5)

    assert found.scope == "this run only"
    assert found == within_run_interval(latencies(400, 0.0, 1), 0.5)
    assert found.interval.low < quantile(latencies(400, 0.0, 1), 0.5) < found.interval.high


def test_requests_that_wait_for_each_other_are_resampled_in_longer_blocks():
    alone, together = within_run_interval(latencies(800, 0.0, 2), 0.5), within_run_interval(latencies(800, 0.9, 2), 0.5)

    assert alone.block_length <= 10 < together.block_length


def test_most_intervals_hold_the_median_of_the_process():
    held = [within_run_interval(latencies(600, 0.8, seed), 0.5, resamples=200).interval for seed in range(10, 40)]

    assert sum(low <= 1.0 <= high for low, high in held) >= 24


def test_an_interval_of_equal_latencies_and_of_too_few():
    assert within_run_interval([2.0] * 50, 0.5, resamples=20).interval == pytest.approx((2.0, 2.0))
    with pytest.raises(TooFewRequestsError):
        within_run_interval([1.0] * 100, 0.99)


def test_an_interval_of_a_run_with_failures():
    found = within_run_interval([1.0] * 360 + [inf] * 40, 0.9, resamples=100)

    assert found.interval.high == inf
