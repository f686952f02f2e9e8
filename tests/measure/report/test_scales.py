from __future__ import annotations

from itertools import pairwise
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.report.figures.scales import duration, log_times, nice_step, ratio_ticks


@given(st.floats(0.05, 2.7), st.integers(3, 12))
def test_ticks_of_ratios_hold_no_change_and_keep_their_distance(reach, most):
    ticks = ratio_ticks(-reach, reach, most)
    places = [place for place, _ in ticks]

    assert (0.0, "no change") in ticks
    assert all(-reach <= place <= reach for place in places)
    assert all(after - before >= 2 * reach / most for before, after in pairwise(places))


def test_a_half_and_a_double_lie_equally_far_from_no_change():
    ticks = dict(ratio_ticks(-log(2.5), log(2.5), 9))

    assert ticks[log(0.5)] == "\N{MINUS SIGN}50 %"
    assert ticks[log(2)] == "+100 %"


@given(st.floats(1e-6, 1e6))
def test_a_nice_step_is_1_2_or_5_and_not_much_larger(least):
    step = nice_step(least)

    assert f"{step:e}".rstrip("0")[0] in "125"
    assert 0.999 * least <= step <= 2.51 * least


@given(st.lists(st.floats(1e-5, 1e4), max_size=6))
def test_an_axis_of_times_holds_them_and_has_labels(values):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.add_subplot()
    log_times(axes.yaxis, [*values, inf, nan, 0.0])
    low, high = axes.get_ylim()

    assert all(low < value < high for value in values)
    assert len(axes.get_yticks()) >= 1
    assert all(low <= tick <= high for tick in axes.get_yticks())


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0 µs"),
        (0.000_012_3, "12.3 µs"),
        (0.0416, "41.6 ms"),
        (0.412, "412 ms"),
        (1.0, "1 s"),
        (1.237, "1.24 s"),
        (99.96, "100 s"),
        (1234.5, "1,234 s"),
        (inf, "infinite"),
        (nan, "not available"),
    ],
)
def test_a_time_in_the_unit_that_suits_it(seconds, shown):
    assert duration(seconds) == shown
