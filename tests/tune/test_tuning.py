from __future__ import annotations

import json

import pytest
from tune.made import conversations, documents, letters, observed, row, unique

from warmroute.errors import WarmrouteError
from warmroute.fleet import FleetConfig
from warmroute.tune import Observed, Trace, TuningResult, profile, tune, workload
from warmroute.tune.report import profile_lines, tuning_lines

FLEET = FleetConfig(instances=4)


def tuned(of: Observed, **options: object) -> TuningResult:
    return tune(Trace(of), FLEET, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def talks() -> Observed:
    return conversations(head=3_072, turn=1_536, turns=5, sessions=60, rate=10)


@pytest.fixture(scope="module")
def result(talks: Observed) -> TuningResult:
    return tuned(talks)


def test_conversations_gain_and_their_length_ends_in_the_first_turn(result: TuningResult) -> None:
    assert result.verdict == "gains"
    assert 3_072 < result.recommendation.prefix_length <= 3_072 + 1_536
    aware, least = result.strategies["PREFIX_AWARE"], result.strategies["LEAST_OUTSTANDING_REQUESTS"]
    assert aware.ttft_mean < 0.97 * least.ttft_mean
    assert least.hit_rate < aware.hit_rate <= result.hit_rate_ceiling
    assert all(each.hit_rate <= result.hit_rate_ceiling for each in result.strategies.values())
    assert result.hit_rate_without_affinity < result.hit_rate_predicted <= result.hit_rate_ceiling
    assert result.margin.survives_from is not None
    assert result.recommendation.concurrency_threshold >= result.margin.survives_from


def test_too_short_and_too_long_cost_time(result: TuningResult) -> None:
    chosen = result.strategies["PREFIX_AWARE"]
    costs = {each.prefix_length: each for each in result.other_lengths}

    assert costs[1_024].keys == 1
    assert costs[1_024].expectation.largest_share > 0.4
    assert costs[65_536].expectation.ttft_mean > chosen.ttft_mean
    assert costs[65_536].expectation.hit_rate < chosen.hit_rate - 0.1


def test_the_same_seed_gives_the_same_bytes(talks: Observed, result: TuningResult) -> None:
    again = tuned(talks)

    assert json.dumps(again.as_dict()) == json.dumps(result.as_dict())
    assert list(tuning_lines(again)) == list(tuning_lines(result))


def test_the_report_says_what_and_why(result: TuningResult) -> None:
    text = " ".join(tuning_lines(result))
    chosen = result.recommendation

    assert f"prefix_length: {chosen.prefix_length}" in text
    assert "all requests are equal: one instance would be home of all of them" in text
    assert "an instance lost" in text
    assert "no run was checked on a GPU" in text
    assert f"{result.simulated_requests:,} requests simulated, seed 0." in text
    assert json.dumps(result.as_dict())
    assert result.as_dict()["recommendation"] == {
        "routing_strategy": "PREFIX_AWARE",
        "prefix_length": chosen.prefix_length,
        "concurrency_threshold": chosen.concurrency_threshold,
    }


def test_prompts_that_share_nothing_gain_nothing() -> None:
    found = tuned(unique(requests=240, length=3_000, rate=12))

    assert found.verdict == "gains nothing"
    assert found.recommendation.routing_strategy != "PREFIX_AWARE"
    assert found.hit_rate_ceiling == 0


def test_an_objective_is_met_or_missed() -> None:
    talks = conversations(head=0, turn=2_048, turns=4, sessions=30, rate=10)
    assert tuned(talks, slo_ttft_p90_seconds=10.0).meets_slo is True
    missed = tuned(talks, slo_ttft_p90_seconds=0.001)
    assert missed.meets_slo is False
    assert any("above the wanted 1 ms" in sentence for sentence in missed.cautions)


def test_a_longer_trace_is_cut_to_the_budget_and_that_is_said() -> None:
    of = documents(head=0, document=4_096, requests=400, documents=40, rate=20)
    found = tuned(of, budget=6_000)

    assert found.simulated_requests < 9_000
    assert any("The busiest 100 of 400 requests in a row were simulated" in note for note in found.notes)


def test_one_instance_has_no_use_for_it(talks: Observed) -> None:
    with pytest.raises(WarmrouteError, match="acts only where two or more instances can serve a request"):
        tune(Trace(talks), FleetConfig(instances=1))


def test_a_short_trace_is_not_concluded_from() -> None:
    with pytest.raises(WarmrouteError, match="A trace of 99 requests is too short to conclude from"):
        tuned(unique(requests=99, length=2_000, rate=5))


def test_without_keys_there_is_nothing_to_compare(talks: Observed) -> None:
    rows = [row(None, arrival_seconds=float(at), input_tokens=500, output_tokens=10) for at in range(200)]
    with pytest.raises(WarmrouteError, match="does not tell the bodies or texts of all requests"):
        tuned(observed(rows))
    with pytest.raises(WarmrouteError, match=r'does not tell the bodies.*use the API "openai"'):
        tuned(talks, api="invoke")


def test_a_profile_says_what_a_short_trace_does_not_tell() -> None:
    of = observed([row(letters("one", 2_000), session="only", turn=turn, output_tokens=5) for turn in range(12)])
    work = workload(of, instances=7, profile=FLEET.profile)
    described = profile(Trace(of), work, instances=7, engine=FLEET.profile)
    text = "\n".join(profile_lines(described))

    assert described.sessions == 1
    assert "A trace of 12 requests is short" in text
    assert "All requests are of one session" in text
    assert "The trace tells no times of arrival" in text


def test_a_profile_shows_the_turns_whose_window_is_not_full(talks: Observed) -> None:
    described = profile(
        Trace(talks), workload(talks, instances=4, profile=FLEET.profile), instances=4, engine=FLEET.profile
    )
    ladder = {each.prefix_length: each for each in described.lengths["openai"]}

    assert described.common_head["openai"] == (3_072, 3_104)
    assert ladder[1_024].keys == 1
    assert ladder[4_096].keys == 60
    assert ladder[4_096].changed_turns == 0
    assert ladder[65_536].changed_turns == ladder[65_536].changed_short_turns == 1
