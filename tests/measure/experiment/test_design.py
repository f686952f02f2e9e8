"""Which runs there are, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure.experiment.arms_in_numbers import NumbersArm

from warmroute.errors import WarmrouteError
from warmroute.measure.criteria import Criteria
from warmroute.measure.experiment import Design, plan
from warmroute.measure.experiment.design import pairs_needed_for

ARMS = st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=5, unique=True)


@given(ARMS, st.integers(), st.integers(0, 1_000))
def test_every_arm_runs_once_in_a_pair(arms, seed, index):
    assert sorted(Design(seed=seed).order(arms, index)) == sorted(arms)


@given(ARMS, st.integers(), st.integers(0, 1_000))
def test_two_pairs_in_a_row_give_each_arm_every_place_as_often_as_its_mirror(arms, seed, index):
    design = Design(seed=seed)

    assert design.order(arms, 2 * index + 1) == design.order(arms, 2 * index)[::-1]


def test_the_order_is_drawn_by_chance_and_repeats_with_its_seed():
    first = [Design(seed=seed).order(["a", "b"], 0)[0] for seed in range(200)]

    assert 70 < first.count("a") < 130
    assert first == [Design(seed=seed).order(["a", "b"], 0)[0] for seed in range(200)]


@given(st.integers(1, 30))
def test_machines_change_roles_once_and_half_way(pairs):
    swapped = [Design(swaps_machines=True).is_swapped(index, pairs) for index in range(pairs)]

    assert swapped == sorted(swapped)
    assert abs(swapped.count(True) - swapped.count(False)) <= 1
    assert not any(Design().is_swapped(index, pairs) for index in range(pairs))


@pytest.mark.parametrize(
    ("design", "needed", "is_known", "pairs"),
    [
        ({}, 3, True, 5),
        ({}, 9, True, 9),
        ({}, 70, True, 20),
        ({}, None, True, 20),
        ({"most_pairs": 3}, 70, True, 5),
        ({}, None, False, 8),
        ({"pairs": 2}, 70, True, 2),
    ],
)
def test_how_many_pairs(design, needed, is_known, pairs):
    assert Design(**design).pairs_for(needed, Criteria(), noise_is_known=is_known) == pairs


def test_arms_that_share_their_machines_do_not_run_at_once():
    check = Design(simultaneous=True).check

    with pytest.raises(WarmrouteError, match=r"arms share what serves them \(a: bot; b: bot\)"):
        check(Criteria(), run_seconds=60.0, requests=100, machines={"a": "bot", "b": "bot"})
    check(Criteria(), run_seconds=60.0, requests=100, machines={"a": "bot/a", "b": "bot/b"})
    Design().check(Criteria(), run_seconds=60.0, requests=100, machines={"a": "bot", "b": "bot"})


def test_runs_too_short_for_the_figure_that_decides_are_refused_and_for_a_guard_are_told():
    with pytest.raises(WarmrouteError, match=r"a run has 35, and P90 TTFT is not told below 36\."):
        Design().check(Criteria(), run_seconds=60.0, requests=35, machines={})

    Design().check(Criteria(), run_seconds=60.0, requests=36, machines={})
    assert [note.partition(",")[0] for note in Design().shortfalls(Criteria(), 367)] == ["A run has 367 requests"]
    assert Design().shortfalls(Criteria(), 368) == ()


def test_more_candidates_need_more_pairs():
    one, three = (pairs_needed_for(0.06, Design(), Criteria(verdicts=verdicts)) for verdicts in (1, 3))

    assert one < three


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"gain": 0.05}, "gain: 0.05 is not above the minimum effect, 0.05."),
        ({"warm_up_seconds": 60.0}, "warm_up: 60 s is the whole run"),
    ],
)
def test_what_could_show_nothing(design, message):
    with pytest.raises(WarmrouteError) as error:
        Design(**design).check(Criteria(), run_seconds=60.0, requests=100, machines={})

    assert message in str(error.value)


def test_arms_of_one_fleet_pay_for_it_once():
    arms = [NumbersArm("random"), NumbersArm("prefix")]

    shared = plan(arms, Design(), Criteria(), 1_800.0)
    arms[1].machines = "other"
    own = plan(arms, Design(pairs=6), Criteria(), 1_800.0)

    assert (shared.aa_runs, shared.least_pairs, shared.most_pairs, shared.instances) == (6, 5, 20, 7)
    assert (shared.least_hours, shared.most_hours) == (8.0, 23.0)
    assert (own.least_pairs, own.most_pairs, own.most_hours, own.instances) == (6, 6, 9.0, 14)
