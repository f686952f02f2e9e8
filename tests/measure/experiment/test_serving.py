"""The spans of a run in which its instances change are cut out of steady state, and kept apart."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure.experiment.arms_in_numbers import Clockwork, NumbersArm, experiment

from warmroute.errors import WarmrouteError
from warmroute.measure.experiment import PolledServing, Sample, Serving
from warmroute.measure.experiment.serving import scaling_windows, too_little_is_steady
from warmroute.measure.metrics import Metric
from warmroute.measure.run import Window, WindowKind

SEVEN, EIGHT = Serving(7), Serving(8)


def seen(*samples, started=1_000.0, settle=30.0):
    """Windows as from, to and reason, for samples of a time from the start and what served."""
    found = scaling_windows([Sample(started + at, serving) for at, serving in samples], started, settle)
    assert {window.kind for window in found} <= {WindowKind.SCALING}
    return [(window.from_seconds, window.to_seconds, window.reason) for window in found]


def test_a_fleet_that_stays_as_it_is_has_no_such_span():
    assert seen((0, SEVEN), (10, SEVEN), (20, SEVEN)) == []
    assert seen((0, SEVEN)) == seen() == []


def test_a_change_lies_between_two_samples_and_settles_after_the_second():
    assert seen((0, SEVEN), (10, SEVEN), (20, EIGHT), (60, EIGHT)) == [(10, 50, "7 to 8 instances")]


def test_while_more_are_wanted_than_serve_it_scales():
    wanted = Serving(7, changing=True)

    assert seen((0, SEVEN), (10, wanted), (20, wanted), (30, EIGHT), (90, EIGHT)) == [(0, 60, "7 to 8 instances")]
    assert seen((0, wanted), (10, wanted)) == [(0, 40, "7 instances, more or fewer asked for")]


def test_changes_that_follow_each_other_are_one_span_and_others_are_two():
    nine = Serving(9)

    assert seen((0, SEVEN), (10, EIGHT), (20, nine), (99, nine)) == [(0, 50, "7 to 9 instances")]
    assert seen((0, SEVEN), (10, EIGHT), (80, EIGHT), (90, nine)) == [
        (0, 40, "7 to 8 instances"),
        (80, 120, "8 to 9 instances"),
    ]


def test_an_instance_in_place_of_another_is_a_change_where_names_are_told():
    before, after = Serving(2, frozenset({"i-1", "i-2"})), Serving(2, frozenset({"i-1", "i-3"}))

    assert seen((0, before), (10, after)) == [(0, 40, "1 of 2 instances replaced")]


def test_what_settled_before_the_run_is_none_of_its():
    assert seen((-90, SEVEN), (-80, EIGHT), (5, EIGHT)) == []
    assert seen((-20, SEVEN), (-10, EIGHT), (5, EIGHT)) == [(0, 20, "7 to 8 instances")]


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 3), st.booleans()), max_size=12).map(sorted),
    st.floats(0, 40),
)
def test_spans_cover_every_moment_at_which_something_changed_and_none_overlaps(found, settle):
    samples = [Sample(float(at), Serving(count, changing=changing)) for at, count, changing in found]

    windows = scaling_windows(samples, 0.0, settle)

    for one, other in pairwise(windows):
        assert one.to_seconds < other.from_seconds
    for before, after in pairwise(samples):
        changed = before.serving != after.serving
        inside = any(window.from_seconds <= before.at and after.at <= window.to_seconds for window in windows)
        # A sample at second 0 without settling ends its span where the run begins.
        assert inside or not changed or after.at + settle <= 0
    steady = all(sample.serving == samples[0].serving and not sample.serving.changing for sample in samples)
    assert not (steady and windows)


def test_a_run_without_enough_steady_state_tells_why():
    window = Window(WindowKind.SCALING, 10.0, 70.0, "7 to 8 instances")

    assert too_little_is_steady([], 100.0, 30.0) is None
    assert too_little_is_steady([window], 200.0, 30.0) is None
    assert too_little_is_steady([window], 100.0, 30.0) == (
        "Instances came or went, or settled, during 60% of the run (7 to 8 instances; 30 s to settle): too little of "
        "it is steady."
    )


class Canned:
    """Instances beside one run of the clockwork: another comes 100 seconds after its beginning."""

    def __init__(self, started, last):
        self._started, self._last = started, last

    def begin(self):
        pass

    def give_up(self):
        pass

    def end(self):
        return [
            Sample((self._started + timedelta(seconds=at)).timestamp(), serving)
            for at, serving in ((0, SEVEN), (90, SEVEN), (100, self._last), (200, self._last))
        ]


class ScalingArm(NumbersArm):
    clockwork: Clockwork
    scales_in = frozenset()

    def watch(self):
        number = self.clockwork.count
        started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
        return Canned(started, EIGHT if number in self.scales_in else SEVEN)


def scaling(scales_in):
    arms = [ScalingArm("random"), ScalingArm("prefix", 0.7)]
    clockwork = Clockwork(arms)
    for arm in arms:
        arm.clockwork, arm.scales_in = clockwork, frozenset(scales_in)
    return clockwork


def test_requests_of_a_span_are_not_in_steady_state_but_in_a_part_of_their_own(tmp_path):
    comparison = experiment(tmp_path, scaling({6, 7}), design={"settle_seconds": 60.0}).run()

    scaled = [run for run in comparison.runs if run.windows]
    assert [(run.windows[0].from_seconds, run.windows[0].to_seconds) for run in scaled] == [(90.0, 160.0)] * 2
    assert {run.instances for run in comparison.runs} == {7}
    assert {run.pair for run in scaled} == {3}
    assert set(scaled[0].summary.windows) == {WindowKind.SCALING}
    assert scaled[0].summary.steady != scaled[0].summary.windows[WindowKind.SCALING]
    shown = comparison.verdicts[0].windows[WindowKind.SCALING]
    assert shown[0].metric is Metric.TTFT_P90
    assert set(shown[0].by_pair) == {3}
    assert comparison.verdicts[0].pairs == 5


def test_a_run_that_scales_most_of_the_time_is_replaced(tmp_path):
    comparison = experiment(tmp_path, scaling({6}), design={"settle_seconds": 300.0}).run()

    assert comparison.verdicts[0].pairs == 5
    assert [each.reasons[0][:34] for each in comparison.left_out] == ["Instances came or went, or settled"]


def test_what_served_is_read_again_from_the_folder(tmp_path):
    now = experiment(tmp_path, scaling({6, 7})).run()
    later = experiment(tmp_path, scaling(set())).run()

    assert [(run.windows, run.instances) for run in later.runs] == [(run.windows, run.instances) for run in now.runs]


def test_asking_begins_and_ends_with_a_sample_and_goes_on_in_between():
    asked, fourth = [], threading.Event()

    def ask():
        asked.append(1)
        if len(asked) == 2:
            raise WarmrouteError("It cannot be asked.")
        if len(asked) == 4:
            fourth.set()
        return Serving(len(asked))

    watch = PolledServing(ask, 0.001)
    watch.begin()
    assert fourth.wait(30)
    counts = [sample.serving.count for sample in watch.end()]

    assert counts[:3] == [1, 3, 4]
    assert counts == sorted(counts)
    assert counts[-1] == len(asked)


@pytest.mark.parametrize("seconds", [-1.0])
def test_a_time_to_settle_is_not_below_zero(tmp_path, seconds):
    with pytest.raises(WarmrouteError, match="settle_seconds"):
        experiment(tmp_path, scaling(set()), design={"settle_seconds": seconds})
