from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.control import Clock
from warmroute.local.control.agenda import Agenda


def test_a_stopped_clock_moves_only_when_it_is_put_forward():
    clock = Clock(speed=0, start=1_000.0)
    assert clock.now() == 1_000.0
    clock.advance(2.5)
    assert clock.now() == 1_002.5


def test_a_fast_clock_gains_on_real_time(monkeypatch):
    real = iter([10.0, 12.0])
    monkeypatch.setattr("time.monotonic", lambda: next(real))
    assert Clock(speed=60, start=0.0).now() == 120.0


@pytest.mark.parametrize("backwards", [lambda: Clock(speed=-1), lambda: Clock(speed=0).advance(-1)])
def test_a_clock_cannot_run_backwards(backwards):
    with pytest.raises(ValueError, match="cannot run backwards"):
        backwards()


def test_changes_entered_by_a_change_are_counted_from_when_it_was_due():
    agenda, seen = Agenda(), []
    agenda.add(10.0, lambda due: agenda.add(due + 5.0, seen.append))
    assert agenda.settle(100.0)
    assert seen == [15.0]
    assert agenda.next_due == math.inf


@given(
    dues=st.lists(st.integers(0, 50)),
    stops=st.lists(st.integers(0, 60)),
)
def test_changes_happen_in_order_of_time_however_often_one_looks(dues, stops):
    agenda, seen = Agenda(), []
    for number, due in enumerate(dues):
        agenda.add(due, lambda when, number=number: seen.append((when, number)))
    for now in (*sorted(stops), 60):
        agenda.settle(now)
        assert all(when <= now for when, _ in seen)
        assert agenda.next_due > now
    assert seen == sorted((due, number) for number, due in enumerate(dues))


def test_a_held_clock_shows_everybody_one_moment():
    clock = Clock(speed=1e9)
    with clock.held() as now:
        assert {clock.now() for _ in range(100)} == {now}
    assert clock.now() > now


def test_a_clock_runs_on_from_what_it_shows(monkeypatch):
    passed = iter([5.0, 5.0, 5.0, 7.0])
    monkeypatch.setattr("time.monotonic", lambda: next(passed))
    clock = Clock(speed=0, start=100.0)
    clock.run(10)

    assert clock.now() == 120.0
