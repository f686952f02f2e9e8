from __future__ import annotations

import pytest
from measure.runs import a_run, replayed

from warmroute import measure
from warmroute.measure import Window, WindowKind


def test_the_public_names_are_these():
    assert measure.__all__ == ["ReplayedRequest", "Run", "Window", "WindowKind"]


def test_a_request_lags_by_what_it_was_sent_after_its_plan():
    assert replayed(planned_seconds=2.0, sent_seconds=2.25).lag_seconds == 0.25


def test_a_run_with_a_problem_is_not_valid():
    assert a_run(ttfts=[1.0]).valid
    assert not a_run(ttfts=[1.0], problems=("The client lagged.",)).valid


@pytest.mark.parametrize(("seconds", "inside"), [(9.9, False), (10.0, True), (19.9, True), (20.0, False)])
def test_a_window_holds_its_beginning_and_not_its_end(seconds, inside):
    assert Window(WindowKind.COLD, 10.0, 20.0).holds(seconds) is inside
