from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from warmroute.measure.statistics import log_ratio, mean_over_pairs

VALUES = st.lists(st.floats(-2, 2), min_size=3, max_size=12)
DIFFERENCES = [-0.21, -0.05, -0.33, 0.04, -0.18, -0.12]


def test_the_interval_and_the_p_value_are_those_of_the_t_test():
    found, expected = mean_over_pairs(DIFFERENCES), stats.ttest_1samp(DIFFERENCES, 0.0)

    assert found.interval(0.05) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert found.p_different() == pytest.approx(expected.pvalue)
    assert found.p_below(-0.05) == pytest.approx(stats.ttest_1samp(DIFFERENCES, -0.05, alternative="less").pvalue)
    assert found.p_above(-0.2) == pytest.approx(stats.ttest_1samp(DIFFERENCES, -0.2, alternative="greater").pvalue)


@given(VALUES)
def test_swapped_arms_have_the_opposite_mean_and_interval(values):
    found, swapped = mean_over_pairs(values), mean_over_pairs([-value for value in values])

    assert swapped == found.flipped()
    assert swapped.interval() == pytest.approx((-found.interval().high, -found.interval().low))


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_nothing(values, random):
    shuffled = values.copy()
    random.shuffle(shuffled)

    assert mean_over_pairs(shuffled) == mean_over_pairs(values)


def test_a_cross_over_is_the_regression_on_policy_and_machines():
    values, groups = [-0.30, -0.28, -0.33, 0.10, 0.14], ["a", "a", "a", "b", "b"]
    design = np.array([[1.0, 0.5 if group == "a" else -0.5] for group in groups])
    coefficients, residuals, _, _ = np.linalg.lstsq(design, np.array(values), rcond=None)
    error = sqrt(residuals[0] / 3 * np.linalg.inv(design.T @ design)[0, 0])

    found = mean_over_pairs(values, groups)

    assert found.mean == pytest.approx(coefficients[0])
    assert found.standard_error == pytest.approx(error)
    assert found.degrees_of_freedom == 3


def test_the_machines_of_a_cross_over_cancel():
    noise = [0.01, -0.02, 0.015, -0.01, 0.005]
    groups = ["a", "b", "a", "b", "a"]
    unequal = [value + (0.4 if group == "a" else -0.4) for value, group in zip(noise, groups, strict=True)]

    equal, found = mean_over_pairs(noise, groups), mean_over_pairs(unequal, groups)

    assert found.mean == pytest.approx(equal.mean)
    assert found.standard_error == pytest.approx(equal.standard_error)


@pytest.mark.parametrize("values", [[], [0.3], [0.1, inf, 0.1], [inf, -inf, inf], [0.1, nan, 0.2], [nan, nan]])
def test_pairs_that_do_not_bound_the_mean_show_nothing(values):
    found = mean_over_pairs(values)

    assert found.interval() == (-inf, inf)
    assert found.p_below(10) == found.p_above(-10) == found.p_different() == 1.0


def test_one_arm_that_failed_in_every_pair_is_certain():
    found = mean_over_pairs([inf] * 5)

    assert found.interval() == (inf, inf)
    assert found.p_above(0.0) == 0.0


def test_pairs_without_any_noise():
    found = mean_over_pairs([-0.1] * 5)

    assert found.interval() == pytest.approx((-0.1, -0.1))
    assert found.p_below(-0.05) == pytest.approx(0.0)
    assert mean_over_pairs([0.0] * 5).p_different() == 1.0


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_a_log_ratio_is_opposite_with_the_arms_swapped(one, other):
    assert log_ratio(one, other) == -log_ratio(other, one)
    assert log_ratio(one, other) == pytest.approx(float(np.log(one / other)), abs=1e-12)


def test_log_ratios_of_zero_and_infinity():
    assert log_ratio(inf, 1) == log_ratio(1, 0) == inf
    assert log_ratio(1, inf) == log_ratio(0, 1) == -inf
    assert isnan(log_ratio(inf, inf))
    assert isnan(log_ratio(0, 0))
