"""A whole experiment on arms whose truth is known."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest
from measure.experiment.arms_in_numbers import Clockwork, NumbersArm, experiment

from warmroute.errors import WarmrouteError
from warmroute.measure.compared import GuardState
from warmroute.measure.criteria import Criteria
from warmroute.measure.decision import Decision
from warmroute.measure.experiment import Hooks
from warmroute.measure.metrics import Metric
from warmroute.measure.telemetry import RunTelemetry
from warmroute.measure.telemetry.figures import with_reasons


def two_arms(scale=1.0, **options):
    return Clockwork([NumbersArm("random"), NumbersArm("prefix", scale)], **options)


def test_the_same_policy_twice_hardly_ever_wins(tmp_path):
    criteria = Criteria(guards={Metric.ERROR_SHARE: 0.005})
    verdicts = [
        experiment(tmp_path / str(seed), two_arms(seed=seed, requests=60), design={"aa_pairs": 0}, criteria=criteria)
        .run()
        .verdicts[0]
        for seed in range(12)
    ]

    assert sum(verdict.primary.worse or verdict.decision is Decision.ADOPT for verdict in verdicts) <= 1


def test_a_gain_of_15_percent_is_found(tmp_path):
    criteria = Criteria(guards={Metric.ERROR_SHARE: 0.005})
    decisions = [
        experiment(
            tmp_path / str(seed), two_arms(0.85, seed=seed, requests=60), design={"aa_pairs": 0}, criteria=criteria
        )
        .run()
        .verdicts[0]
        .decision
        for seed in range(6)
    ]

    assert decisions.count(Decision.ADOPT) >= 5


def test_what_is_in_the_folder(tmp_path):
    clockwork = two_arms(0.7, requests=400)

    comparison = experiment(tmp_path, clockwork).run()

    lines = list(csv.DictReader((tmp_path / "runs.csv").read_text("utf-8").splitlines()))
    rows = pq.read_table(tmp_path / "requests.parquet", columns=["pair", "position", "arm"]).to_pylist()
    verdict = comparison.verdicts[0]
    assert verdict.decision is Decision.ADOPT
    assert verdict.primary.interval.high < 0.75
    assert {each.name for each in verdict.segments} == {"acme", "globex", "initech"}
    assert len(comparison.aa.figures) == 6
    assert 0.005 < comparison.aa.deviation < 0.1
    assert len(lines) == len(comparison.runs) == 16
    assert float(lines[0]["ttft_p90"]) > 1
    assert set(Counter((row["pair"], row["position"], row["arm"]) for row in rows).values()) == {400}
    assert {(run.pair, run.position, run.arm) for run in comparison.runs} == set(clockwork.done)
    assert {path.name for path in tmp_path.iterdir()} == {*("manifest.json", "runs", "runs.csv", "requests.parquet")}


def test_the_noise_decides_how_many_pairs_there_are(tmp_path):
    little = experiment(tmp_path / "little", two_arms(run_deviation=0.01), design={"pairs": None}).run()
    much = experiment(tmp_path / "much", two_arms(run_deviation=0.08), design={"pairs": None, "most_pairs": 7}).run()

    assert little.verdicts[0].pairs == 5
    assert much.aa.pairs_needed > 7
    assert much.verdicts[0].pairs == 7
    assert "The noise demands" in much.notes[0]


def test_an_invalid_run_is_replaced_with_its_pair(tmp_path):
    clockwork = two_arms(0.7, problems={6: "The client lagged.", 9: "The clock moved."})

    comparison = experiment(tmp_path, clockwork).run()

    # A pair ends with its first invalid run.
    assert comparison.verdicts[0].pairs == 5
    assert {each.reasons for each in comparison.left_out} == {("The client lagged.",), ("The clock moved.",)}
    assert len(comparison.runs) == clockwork.count == 16 + 2
    assert not comparison.notes


def test_why_a_run_is_invalid_is_told_when_it_is_over(tmp_path):
    clockwork = two_arms(problems={6: "The client lagged."})
    told = []

    def listen(run, folder):
        told.append((clockwork.count, folder.name, run.problems))

    experiment(tmp_path, clockwork, hooks=Hooks(on_run=listen)).run()

    place = f"{clockwork.done[6][0]}-{clockwork.done[6][1]}-{clockwork.done[6][2]}"
    assert told[6] == (7, place, ("The client lagged.",))
    assert [problems for _, _, problems in told].count(()) == len(told) - 1


def test_too_many_invalid_runs_end_it(tmp_path):
    clockwork = two_arms(problems=dict.fromkeys(range(100), "The client lagged."))

    comparison = experiment(tmp_path, clockwork).run()

    # One run of each pair of A/A, three of them in place of others; then of as many pairs as may be replaced, and one.
    assert clockwork.count == 6 + 4
    assert all(verdict.decision is Decision.INCONCLUSIVE for verdict in comparison.verdicts)
    assert comparison.notes == ("5 of 5 pairs are lacking, since too many runs were invalid.",)
    assert comparison.aa is None


def test_without_noise_no_number_of_pairs_is_made_up(tmp_path):
    clockwork = two_arms(problems=dict.fromkeys(range(100), "The client lagged."))

    comparison = experiment(tmp_path, clockwork, design={"pairs": None}).run()

    assert comparison.verdicts == ()
    assert "A/A runs do not tell the noise" in comparison.notes[0]
    assert {run.is_noise for run in comparison.runs} == {True}


def test_a_configuration_that_changes_in_a_run_makes_it_invalid(tmp_path):
    clockwork = two_arms(0.7)
    clockwork.arms[1].configs = ["one", "other", "one"]

    comparison = experiment(tmp_path, clockwork).run()

    assert comparison.verdicts[0].pairs == 5
    assert len(comparison.left_out) == 1
    assert "configuration of the endpoint changed" in comparison.left_out[0].reasons[0]


def test_an_endpoint_that_dies_in_a_run_makes_it_invalid(tmp_path):
    clockwork = two_arms(0.7)
    clockwork.arms[1].configs = ["one", "", "one"]

    comparison = experiment(tmp_path, clockwork).run()

    assert len(comparison.left_out) == 1
    assert "did not serve, or could not be asked: Endpoint bot does not serve" in comparison.left_out[0].reasons[0]


def test_another_configuration_between_runs_stops_it(tmp_path):
    clockwork = two_arms()
    clockwork.arms[0].configs = ["one"] * 4 + ["other"]

    with pytest.raises(WarmrouteError, match=r"random: its endpoint has the configuration .*-other, and had .*-one"):
        experiment(tmp_path, clockwork).run()


def test_an_arm_of_nothing_but_errors_is_infinitely_slow_and_keeps_its_rows(tmp_path):
    clockwork = two_arms()
    clockwork.arms[1].error = "ThrottlingException 400"

    verdict = experiment(tmp_path, clockwork).run().verdicts[0]

    assert verdict.decision is not Decision.ADOPT
    assert verdict.pairs == 5
    assert next(g for g in verdict.guards if g.compared.metric is Metric.ERROR_SHARE).state is GuardState.BROKEN
    assert pq.read_metadata(tmp_path / "requests.parquet").num_rows == 16 * clockwork.requests


def test_every_candidate_is_compared_with_the_baseline(tmp_path):
    arms = [NumbersArm("random"), NumbersArm("prefix", 0.7), NumbersArm("lor", 1.5)]

    comparison = experiment(tmp_path, Clockwork(arms, requests=400), criteria=Criteria(verdicts=2)).run()

    assert [(each.candidate, each.decision) for each in comparison.verdicts] == [
        ("prefix", Decision.ADOPT),
        ("lor", Decision.DONT),
    ]
    assert comparison.verdicts[0].primary.alpha == 0.025


def test_pairs_send_the_parts_of_the_trace_in_turn_and_both_runs_of_a_pair_the_same(tmp_path):
    clockwork = two_arms(0.7, parts=3, problems={8: "The client lagged."})

    comparison = experiment(tmp_path, clockwork).run()
    later = experiment(tmp_path, two_arms(0.7, parts=3)).run()

    parts = {(run.pair, run.is_noise): run.part for run in comparison.runs}
    assert [parts[pair, True] for pair in range(3)] == [0, 0, 0]
    assert [parts[pair, False] for pair in range(3, 9)] == [0, 1, 2, 0, 1, 2]
    assert all(run.part == parts[run.pair, run.is_noise] for run in comparison.runs)
    assert comparison.verdicts[0].pairs == 5
    assert [run.part for run in later.runs] == [run.part for run in comparison.runs]


def test_variants_change_roles_after_half_of_the_pairs(tmp_path):
    arms = [NumbersArm("random", fleet="a"), NumbersArm("prefix", 0.7, fleet="b")]

    comparison = experiment(tmp_path, Clockwork(arms), design={"pairs": 6, "swaps_machines": True}).run()

    fleets = [run.fleet for run in comparison.runs if run.arm == "prefix"]
    assert fleets == ["b"] * 3 + ["b-swapped"] * 3
    assert comparison.verdicts[0].primary.estimate.degrees_of_freedom == 4


def test_runs_of_a_pair_take_place_at_once_where_that_is_asked_for(tmp_path):
    arms = [NumbersArm("random", fleet="a"), NumbersArm("prefix", 0.7, fleet="b")]
    clockwork = Clockwork(arms, problems={9: "The client lagged."})
    design = {"pairs": 6, "swaps_machines": True, "simultaneous": True}

    comparison = experiment(tmp_path, clockwork, design=design).run()

    assert clockwork.at_once == [1] * 6 + [2] * 7
    assert comparison.verdicts[0].pairs == 6
    assert len(comparison.left_out) == 1
    assert comparison.verdicts[0].primary.estimate.degrees_of_freedom == 4


def test_variants_that_keep_their_roles_get_no_verdict(tmp_path):
    arms = [NumbersArm("random", fleet="a"), NumbersArm("prefix", 0.7, fleet="b")]

    verdict = experiment(tmp_path, Clockwork(arms)).run().verdicts[0]

    assert verdict.decision is Decision.INCONCLUSIVE
    assert "machines of its own" in verdict.reasons[0]


def test_the_warm_up_is_reported_apart(tmp_path):
    comparison = experiment(tmp_path, two_arms(), design={"warm_up_seconds": 50.0}).run()

    assert {run.windows[0].to_seconds for run in comparison.runs} == {50.0}
    assert comparison.verdicts[0].windows


class Watch:
    def __init__(self, log, name):
        self.log, self.name = log, name

    def begin(self):
        self.began = datetime.now(UTC)
        self.log.append(f"begin {self.name}")

    def end(self):
        self.log.append(f"end {self.name}")
        nothing = with_reasons({}, {}, "There is nothing to see.")
        return RunTelemetry(
            sources=(self.name,), began=self.began, ended=datetime.now(UTC), interval_seconds=1.0, **nothing
        )

    def give_up(self):
        self.log.append(f"give up {self.name}")


def test_what_an_observer_tells_is_kept(tmp_path):
    log = []
    hooks = Hooks(observe=lambda arm, served: Watch(log, arm.name) if arm.name == "prefix" else None)

    now = experiment(tmp_path, two_arms(), hooks=hooks).run()
    later = experiment(tmp_path, two_arms(), hooks=hooks).run()

    assert log == ["begin prefix", "end prefix"] * 5
    assert {key[2] for key in now.telemetry} == {"prefix"}
    assert later.telemetry == now.telemetry
    assert {each.sources for each in later.telemetry.values()} == {("prefix",)}


def test_an_observer_of_a_run_that_cannot_be_is_given_up(tmp_path):
    log = []

    def unreachable(_):
        raise WarmrouteError("It cannot be reached.", "Wait.")

    clockwork = two_arms()
    clockwork.replay = unreachable
    with pytest.raises(WarmrouteError, match="cannot be reached"):
        experiment(tmp_path, clockwork, hooks=Hooks(observe=lambda arm, served: Watch(log, arm.name))).run()

    assert [said.partition(" ")[0] for said in log] == ["begin", "give"]
