"""The master's clock as a worker finds it, through messages that take their time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.load.clock import Reading, offset_of

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
