from __future__ import annotations

import pytest
from measure.runs import BASELINE, CANDIDATE, pairs, summary

from warmroute.errors import WarmrouteError
from warmroute.measure.pairing import pair_up


def test_runs_are_paired_by_number_whatever_their_order():
    found = pair_up(reversed(pairs([0.9] * 3)), BASELINE, CANDIDATE)

    assert [(pair.number, pair.baseline.arm, pair.candidate.arm) for pair in found.pairs] == [
        (number, BASELINE, CANDIDATE) for number in range(3)
    ]
    assert found.left_out == ()


def test_a_pair_takes_from_its_first_request_to_its_last_answer():
    # 20 minutes apart, the second one 10 minutes long.
    assert pair_up(pairs([0.9]), BASELINE, CANDIDATE).pairs[0].hours == 0.5


def test_a_pair_with_an_invalid_run_is_left_out_with_the_reason():
    runs = [*pairs([0.9]), summary(pair=1), summary(CANDIDATE, 1, problems=("The configuration changed.",))]
    found = pair_up(runs, BASELINE, CANDIDATE)

    assert [pair.number for pair in found.pairs] == [0]
    assert found.left_out == ("Pair 1, prefix: The configuration changed.",)


def test_a_run_without_a_partner_is_left_out():
    found = pair_up([*pairs([0.9]), summary(pair=4)], BASELINE, CANDIDATE)

    assert found.left_out == ("Pair 4 has no run of prefix.",)


def test_a_pair_that_was_given_up_has_the_reason_of_its_invalid_run_alone():
    found = pair_up([*pairs([0.9]), summary(CANDIDATE, 4, problems=("The client lagged.",))], BASELINE, CANDIDATE)

    assert found.left_out == ("Pair 4, prefix: The client lagged.",)


def test_runs_of_different_lengths_are_not_compared():
    found = pair_up([summary(requests=900), summary(CANDIDATE)], BASELINE, CANDIDATE)

    assert found.pairs == ()
    assert found.left_out == ("Pair 0: its runs planned 900 and 1,000 requests, not the same.",)


def test_other_arms_are_not_looked_at():
    found = pair_up([*pairs([0.9]), summary("lor", problems=("It broke.",))], BASELINE, CANDIDATE)

    assert len(found.pairs) == 1
    assert found.left_out == ()


@pytest.mark.parametrize(
    ("runs", "baseline", "candidate", "message"),
    [
        (pairs([0.9]), "lor", CANDIDATE, "There is no run of the arm lor. Arms: prefix, random."),
        ([], BASELINE, CANDIDATE, "There is no run of the arm random. Arms: none."),
        (pairs([0.9]), BASELINE, BASELINE, "random cannot be compared with itself"),
        ([summary(), summary(), summary(CANDIDATE)], BASELINE, CANDIDATE, "Pair 0 has two runs of random"),
    ],
)
def test_arms_that_cannot_be_paired(runs, baseline, candidate, message):
    with pytest.raises(WarmrouteError, match=message):
        pair_up(runs, baseline, candidate)


def roles(candidates):
    """Pairs whose candidate ran on the machines named, and whose baseline on the others."""
    found = []
    for pair, fleet in enumerate(candidates):
        other = "blue" if fleet == "green" else "green"
        found += [summary(pair=pair, fleet=other), summary(CANDIDATE, pair, fleet=fleet)]
    return pair_up(found, BASELINE, CANDIDATE)


def test_machines_that_change_roles_are_groups():
    found = roles(["green", "blue", "green"])

    assert found.groups == ("green", "blue", "green")
    assert not found.confounded


def test_machines_that_never_change_roles_confound():
    found = roles(["green", "green", "green"])

    assert found.groups is None
    assert found.confounded


@pytest.mark.parametrize("fleet", ["", "main"])
def test_one_fleet_neither_groups_nor_confounds(fleet):
    found = pair_up(pairs([0.9] * 3, fleet=fleet), BASELINE, CANDIDATE)

    assert found.groups is None
    assert not found.confounded
