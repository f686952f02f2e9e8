"""What is done with bounded memory: putting in order, and remembering names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warmroute.traffic.readers.recent import Recent
from warmroute.traffic.reading.ordering import nearly_ordered
from warmroute.traffic.record import TrafficRequest

arrivals = st.lists(st.integers(0, 20), max_size=30)


def requests(times):
    return [TrafficRequest(source="a", line=line, arrival_seconds=float(at)) for line, at in enumerate(times)]


def lines(found):
    return [each.line for each in found]


@given(arrivals)
def test_a_window_that_holds_all_puts_all_in_order_and_equal_times_as_they_came(times):
    found = lines(nearly_ordered(requests(times)))

    assert found == sorted(range(len(times)), key=lambda line: times[line])


@given(arrivals, st.integers(0, 8))
def test_requests_out_of_order_by_less_than_the_window_are_put_in_order_and_none_is_lost(times, window):
    found = list(nearly_ordered(requests(times), window_bytes=1_000 * window))

    assert sorted(lines(found)) == list(range(len(times)))
    # A request leaves once more than the window's are held: it is the earliest of these.
    held = sorted(((at, line) for line, at in enumerate(times[: window + 1])))
    assert lines(found)[:1] == [held[0][1]] if held else not found


@given(st.lists(st.integers(0, 5)), st.integers(1, 4))
def test_only_the_latest_names_are_remembered(names, limit):
    recent = Recent[int](limit)
    for position, name in enumerate(names):
        if name not in recent:
            recent.add(name, position)

    remembered = [name for name in range(6) if name in recent]
    assert len(remembered) == min(limit, len(set(names)))
    assert all(names[recent.get(name)] == name for name in remembered)
