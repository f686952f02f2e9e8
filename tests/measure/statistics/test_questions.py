"""Holm's correction, equivalence and non-inferiority."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from warmroute.measure.statistics import equivalence, holm, mean_over_pairs, non_inferiority

P_VALUES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8)
VALUES = st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=12)


def test_holm_of_an_example_worked_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )


@given(P_VALUES)
def test_holm_lies_between_no_correction_and_bonferroni(p_values):
    adjusted = holm(p_values)

    assert list(adjusted) == list(p_values)
    for key, p_value in p_values.items():
        assert p_value <= adjusted[key] <= min(1.0, len(p_values) * p_value)


@given(P_VALUES, st.floats(0.001, 0.2))
def test_holm_rejects_what_its_steps_reject(p_values, alpha):
    rejected = set()
    for rank, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        if (len(p_values) - rank) * p_values[key] > alpha:
            break
        rejected.add(key)

    assert {key for key, p_value in holm(p_values).items() if p_value <= alpha} == rejected


def test_equivalence_is_two_one_sided_t_tests():
    values, margin = [0.01, -0.02, 0.015, -0.005, 0.0], 0.05
    above = stats.ttest_1samp(values, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(values, margin, alternative="less").pvalue

    assert equivalence(mean_over_pairs(values), margin) == pytest.approx(max(above, below))
    assert non_inferiority(mean_over_pairs(values), margin) == pytest.approx(below)


@given(VALUES, st.floats(0.01, 0.4), st.floats(0.001, 0.2))
def test_equivalence_is_the_wider_interval_within_the_margin(values, margin, alpha):
    estimate = mean_over_pairs(values)
    low, high = estimate.interval(2 * alpha)
    if min(abs(low + margin), abs(high - margin)) < 1e-9:
        return

    assert (equivalence(estimate, margin) <= alpha) == (-margin < low and high < margin)


@given(VALUES, st.floats(0.01, 0.4))
def test_a_gain_beyond_the_margin_and_equivalence_exclude_each_other(values, margin):
    estimate = mean_over_pairs(values)

    assert not (estimate.p_below(-margin) <= 0.025 and equivalence(estimate, margin) <= 0.05)
