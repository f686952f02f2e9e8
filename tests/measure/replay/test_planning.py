"""When requests are sent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import Bodies, Load, Schedule, Sending, planned
from warmroute.measure.replay.parts import LEFT_OUT, Part, parts
from warmroute.measure.replay.planning import in_time
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


@given(st.lists(st.floats(0, 20), min_size=1, max_size=30).map(sorted), st.floats(0.5, 8), st.integers(1, 10))
def test_parts_by_time_hold_every_request_once_and_none_beyond_their_length(arrivals, seconds, most):
    found = [at - arrivals[0] for at in arrivals]
    parts = [plan(trace(*arrivals), duration_seconds=seconds, part=part)[0] for part in range(most)]

    numbers = [each.number for part in parts for each in part]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) == sum(at < most * seconds for at in found)
    assert all(0 <= each.planned_seconds < seconds * (1 + 1e-9) for part in parts for each in part)


def test_a_schedule_is_read_by_several_at_a_time():
    schedule = Schedule(plan(trace(0.0, 1.0, 2.0))[0])

    assert [(one.number, other.number) for one, other in zip(schedule, schedule, strict=True)] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]


def test_parts_by_number_begin_with_zero():
    requests = trace(0.0, 1.0, 4.0, 5.0, 9.0)

    assert times(requests, requests=2, part=1) == [0.0, 1.0]
    assert [each.number for each in plan(requests, requests=2, part=1)[0]] == [2, 3]
    assert times(requests, requests=2, part=2) == [0.0]


def test_turns_that_wait_for_an_answer_of_an_earlier_part_are_left_out():
    first, begun, after = trace(0.0, 2.0, 5.0, session="a")
    waits = [replace(each, arrival_seconds=None, delay_seconds=1.0) for each in trace(0.0, 0.0)]
    requests = [first, replace(waits[0], session="a"), replace(begun, session="b"), replace(waits[1], session="b")]
    requests += [replace(waits[1], session="a"), replace(after, session="c")]

    whole, _ = plan(requests, duration_seconds=2.0)
    part, notes = plan(requests, duration_seconds=2.0, part=1)

    assert [each.number for each in whole] == [0, 1]
    assert [(each.number, each.planned_seconds) for each in part] == [(2, 0.0), (3, None)]
    assert notes[LEFT_OUT] == 1
    assert [each.number for each in plan(requests, requests=2, part=1)[0]] == [2, 3]


@pytest.mark.parametrize(
    ("arrivals", "load", "most", "found"),
    [
        ([0.0, 1.0, 2.0, 3.0, 4.0], {"duration_seconds": 2.0}, 20, [(0, 2), (1, 2)]),
        ([0.0, 1.0, 2.0, 3.95], {"duration_seconds": 2.0}, 20, [(0, 2), (1, 2)]),
        ([0.0, 1.0, 2.0, 3.0], {"duration_seconds": 2.0}, 20, [(0, 2)]),
        ([float(n) for n in range(100)], {"duration_seconds": 2.0}, 3, [(0, 2), (1, 2), (2, 2)]),
        ([0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 4.5, 5.0, 6.0], {"duration_seconds": 2.0}, 20, [(0, 4), (2, 3)]),
        ([0.0, 1.0, 2.0, 3.0, 4.0], {"requests": 2}, 20, [(0, 2), (1, 2)]),
        ([0.0], {"requests": 2}, 20, [(0, 2)]),
        ([0.0, 1.0, 2.0], {}, 20, [(0, 3)]),
    ],
)
def test_how_many_parts_a_trace_has(arrivals, load, most, found):
    wanted = Load(**load)

    assert parts(in_time(trace(*arrivals), wanted, Counter()), wanted, most)[0] == [Part(*each) for each in found]


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
