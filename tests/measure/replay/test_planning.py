"""When requests are sent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import Bodies, Load, Schedule, Sending, planned
from warmroute.traffic import TrafficRequest


def trace(*times, **known):
    return [
        TrafficRequest(source="t.jsonl", line=line, text="Hi", output_tokens=1, arrival_seconds=at, **known)
        for line, at in enumerate(times, 1)
    ]


def plan(found, /, **load):
    bodies = Bodies(Sending(), chat_only=True)
    return list(planned(found, Load(**load), bodies)), bodies.notes


def times(found, /, **load):
    return [each.planned_seconds for each in plan(found, **load)[0]]


def test_times_begin_with_zero_and_speed_divides_them():
    assert times(trace(100.0, 101.0, 104.0), speed=2.0) == [0.0, 0.5, 2.0]


def test_duration_and_number_end_a_replay():
    assert times(trace(0.0, 1.0, 2.0, 3.0), duration_seconds=2.0) == [0.0, 1.0]
    assert times(trace(0.0, 1.0, 2.0, 3.0), duration_seconds=1.0, speed=2.0) == [0.0, 0.5]
    assert times(trace(0.0, 1.0, 2.0, 3.0), requests=3) == [0.0, 1.0, 2.0]


def test_a_rate_replaces_times_the_same_ones_each_time():
    requests = trace(*[None] * 400)
    found = times(requests, rate=10.0, duration_seconds=20.0)
    assert found == times(requests, rate=10.0, duration_seconds=20.0)
    assert found != times(requests, rate=10.0, duration_seconds=20.0, seed=1)
    assert 150 < len(found) < 250
    assert found[-1] < 20.0


def test_whole_seconds_are_spread_within_the_second_in_their_order():
    requests = trace(5.0, 5.0, 5.0, 6.0, arrival_resolution_seconds=1.0)
    found, notes = plan(requests)
    shift = found[0].planned_seconds
    assert shift == 0.0
    assert [each.number for each in found] == [0, 1, 2, 3]
    assert sorted({each.planned_seconds for each in found}) == [each.planned_seconds for each in found]
    assert notes["placed at random within the tick of the trace's coarse clock"] == 4


@given(st.lists(st.floats(0, 50), min_size=1, max_size=20))
def test_no_request_is_planned_before_the_one_above_it(at):
    found = times(trace(*at))
    assert found == sorted(found)
    assert len(found) == len(at)


@pytest.mark.parametrize(
    ("requests", "load", "message"),
    [
        (trace(None), {}, r"t\.jsonl:1: the trace does not say when it came\. Give a rate"),
        (trace(100.0, 30.0), {}, "t.jsonl:2: arrives"),
        (trace(0.0, 100.0, 10.0), {}, r"t\.jsonl:3: arrives 90 s before a request above it"),
        (trace(0.0), {"rate": 1.0, "speed": 2.0}, "Give one"),
    ],
)
def test_what_cannot_be_planned(requests, load, message):
    if message == "t.jsonl:2: arrives":
        assert times([requests[0], replace(requests[1], arrival_seconds=60.0)]) == [0.0, 0.0]
    with pytest.raises(WarmrouteError, match=message):
        plan(requests, **load)


def test_an_empty_schedule_is_refused():
    with pytest.raises(WarmrouteError, match="no request to send"):
        Schedule(planned([], Load(), Bodies(Sending(), chat_only=True)))


def test_a_schedule_gives_back_what_was_planned_as_often_as_asked():
    requests = [*trace(0.0, 1.0, session="é"), *trace(None, session="é", delay_seconds=2.0)]
    found, _ = plan(requests)
    schedule = Schedule(iter(found))
    assert list(schedule) == found == list(schedule)
    assert (schedule.requests, schedule.last_planned_seconds) == (3, 1.0)
