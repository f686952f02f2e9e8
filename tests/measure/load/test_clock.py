"""The master's clock as a worker finds it, through messages that take their time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.load.clock import Reading, agreed, offset_of

delays = st.floats(0.0, 0.5)


@given(st.floats(-1e6, 1e6), st.lists(st.tuples(delays, delays), min_size=1, max_size=16))
def test_the_offset_is_right_within_the_uncertainty_that_it_tells(offset, trips):
    readings = [Reading(at, at + there + offset, at + there + back) for at, (there, back) in enumerate(trips)]

    found = offset_of(readings)

    assert abs(found.seconds - offset) <= found.uncertainty_seconds + 1e-6
    assert found.uncertainty_seconds == pytest.approx(min(map(sum, trips)) / 2, abs=1e-6)
    assert found.here(100.0 + offset) == pytest.approx(100.0, abs=found.uncertainty_seconds + 1e-6)


def test_the_fastest_answer_counts():
    found = offset_of([Reading(0.0, 50.9, 1.0), Reading(2.0, 52.01, 2.02)])

    assert found.seconds == pytest.approx(50.0)
    assert found.uncertainty_seconds == pytest.approx(0.01)


def test_the_master_is_asked_again_and_again_since_one_answer_may_be_slow():
    now = 0.0
    delays = iter([0.5, 0.4, 0.002, *[0.3] * 99])

    def ask(asked):
        nonlocal now
        assert asked == now
        now += next(delays)
        return now + 70.0

    found = agreed(ask, lambda: now)

    assert found.uncertainty_seconds == pytest.approx(0.001)
    assert found.seconds == pytest.approx(70.0, abs=found.uncertainty_seconds + 1e-9)
