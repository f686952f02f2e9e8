from __future__ import annotations

from math import exp, log

import pytest
from measure.runs import BASELINE, CANDIDATE, STEADY, pairs, summary
from scipy.stats import ttest_rel

from warmroute.measure import WindowKind
from warmroute.measure.compared import GuardState
from warmroute.measure.criteria import Criteria
from warmroute.measure.decision import Decision
from warmroute.measure.metrics import Metric, Unmeasured
from warmroute.measure.verdict import judge

BETTER = [0.80, 0.78, 0.83, 0.81, 0.79]
SAME = [1.00, 1.01, 0.99, 1.005, 0.995]
UNSURE = [0.70, 1.10, 0.95, 0.80, 1.05]
NOT_TOLD = Unmeasured("The endpoint does not tell which instance served a request.")
TOO_FEW = Unmeasured("P99 of 100 requests is not told: it needs 368.", too_few_requests=True)


def verdict(runs, **criteria):
    return judge(runs, BASELINE, CANDIDATE, Criteria(**criteria))


def with_guard(metric, values, ratios=BETTER):
    """Pairs of a better candidate that has a figure of its own in each pair."""
    runs = pairs(ratios)
    return [
        summary(run.arm, run.pair, {**run.steady, metric: values[run.pair]}) if run.arm == CANDIDATE else run
        for run in runs
    ]


def test_a_gain_that_every_pair_shows_is_adopted():
    found = verdict(pairs(BETTER))

    assert found.decision is Decision.ADOPT
    assert found.pairs == 5
    assert found.further is None
    assert found.reasons[0] == "It is better by more than 5 %; no guard fails."
    assert all(guard.state is GuardState.HOLDS for guard in found.guards)


def test_the_interval_is_that_of_the_paired_t_test_over_runs():
    found = verdict(pairs(BETTER)).primary
    expected = ttest_rel([log(ratio) for ratio in BETTER], [0.0] * 5).confidence_interval(0.95)

    assert found.interval == pytest.approx((exp(expected.low), exp(expected.high)))
    assert found.effect == pytest.approx(exp(sum(log(ratio) for ratio in BETTER) / 5))


def test_the_reasons_are_in_plain_words():
    nothing = "is the same; 95 % interval: no difference; 5 pairs."

    assert verdict(pairs(BETTER)).reasons[1:] == (
        "P90 TTFT is 19.8 % shorter; 95 % interval: 17.4 to 22.2 % shorter; 5 pairs.",
        f"Guard holds, 10 % longer allowed: P99 TTFT {nothing}",
        f"Guard holds, 0.5 points higher allowed: Share of failed requests {nothing}",
        f"Guard holds, 5 % lower allowed: Throughput in output tokens {nothing}",
        f"Guard holds, 25 % higher allowed: Share of the busiest instance {nothing}",
    )


@pytest.mark.parametrize(
    ("ratios", "interval"),
    [
        ([0.9, 1.1, 0.9, 1.1, 1.0], "12.1 % shorter to 12.8 % longer"),
        ([1.1, 1.2, 1.1, 1.2, 1.15], "8.9 to 21.3 % longer"),
        ([1.0, 1.0, 1.0, 1.0, 1.0001], "no difference"),
    ],
)
def test_an_interval_in_words(ratios, interval):
    assert interval in verdict(pairs(ratios)).reasons[1]


def test_no_difference_is_shown_and_not_concluded_from_noise():
    assert verdict(pairs(SAME)).decision is Decision.DONT
    assert verdict(pairs(SAME)).reasons[0] == "A difference of 5 % or more is excluded."
    assert verdict(pairs(UNSURE)).decision is Decision.INCONCLUSIVE


def test_a_candidate_that_is_worse_is_not_adopted():
    found = verdict(pairs([1.2, 1.25, 1.3, 1.22, 1.24]))

    assert found.decision is Decision.DONT
    assert found.reasons[0] == "It is worse."


@pytest.mark.parametrize(("deviation", "better"), [(0.040, True), (0.048, False)])
def test_a_gain_is_shown_at_the_level_of_its_two_sided_interval(deviation, better):
    """Of five pairs the mean must lie 2.776 standard errors beyond the minimum effect, in either direction."""
    spread = [-1.0, -0.5, 0.0, 0.5, 1.0]  # Of standard deviation 0.79.
    gains = [0.95 * exp(-0.045 + deviation * part) for part in spread]
    losses = [exp(0.045 + deviation * part) for part in spread]

    assert verdict(pairs(gains)).primary.better_than(-log(0.95)) is better
    assert verdict(pairs(losses)).primary.worse is better


def test_a_gain_below_the_minimum_effect_is_none():
    ratios = [0.97, 0.975, 0.965, 0.97, 0.972]

    assert verdict(pairs(ratios)).decision is Decision.DONT
    assert verdict(pairs(ratios), minimum_effect=0.02).decision is Decision.ADOPT


def test_an_open_question_tells_the_pairs_and_hours_that_it_needs():
    found = verdict(pairs([0.80, 0.95, 0.90, 0.84, 0.99]))

    assert found.decision is Decision.INCONCLUSIVE
    assert found.further.pairs > 1
    assert found.further.hours == found.further.pairs * 0.5


def test_so_many_further_pairs_of_the_same_kind_decide():
    ratios = [0.80, 0.95, 0.90, 0.84, 0.99]
    further = verdict(pairs(ratios)).further.pairs

    assert verdict(pairs((ratios * 20)[: 5 + further + 5])).decision is Decision.ADOPT


def test_fewer_pairs_than_five_decide_nothing():
    found = verdict(pairs(BETTER[:4]))

    assert found.decision is Decision.INCONCLUSIVE
    assert found.reasons[0] == "Valid pairs: 4; at least 5 are needed."
    assert found.further.pairs == 1


def test_without_any_valid_pair_nothing_is_known():
    found = verdict([summary(problems=("The client lagged.",)), summary(CANDIDATE)])

    assert found.decision is Decision.INCONCLUSIVE
    assert found.further is None
    assert found.left_out == ("Pair 0, random: The client lagged.",)


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        (Metric.TTFT_P99, [1.30, 1.31, 1.29, 1.32, 1.30]),
        (Metric.ERROR_SHARE, [0.02, 0.021, 0.019, 0.02, 0.02]),
        (Metric.OUTPUT_TOKENS_PER_SECOND, [850, 860, 840, 855, 850]),
        (Metric.LARGEST_INSTANCE_SHARE, [0.30, 0.31, 0.29, 0.30, 0.32]),
    ],
)
def test_a_broken_guard_stops_a_gain(metric, values):
    found = verdict(with_guard(metric, values))

    assert found.decision is Decision.DONT
    assert found.reasons[0] == f"It breaks a guard: {metric.label}."
    assert any(reason.startswith("Guard broken") for reason in found.reasons)


def test_a_guard_that_is_not_settled_asks_for_more_pairs():
    found = verdict(with_guard(Metric.TTFT_P99, [0.8, 1.3, 1.0, 1.2, 0.9]))

    assert found.decision is Decision.INCONCLUSIVE
    assert found.reasons[0] == "It is better by more than 5 %, but not settled is: P99 TTFT."
    assert found.further.pairs > 1


def test_p99_of_too_few_requests_asks_for_longer_runs_not_for_more():
    found = verdict(with_guard(Metric.TTFT_P99, [TOO_FEW] * 5))

    assert found.decision is Decision.INCONCLUSIVE
    assert found.further is None
    assert "P99 TTFT is not known: P99 of 100 requests is not told: it needs 368." in found.reasons


def test_a_guard_that_the_endpoint_does_not_tell_is_said_and_does_not_stop():
    found = verdict(with_guard(Metric.LARGEST_INSTANCE_SHARE, [NOT_TOLD] * 5))

    assert found.decision is Decision.ADOPT
    assert found.guards[-1].state is GuardState.NOT_AVAILABLE
    assert found.reasons[-1].startswith("Share of the busiest instance is not known")


def test_a_primary_metric_that_is_not_known_decides_nothing():
    runs = pairs([1.0] * 5)
    runs = [summary(run.arm, run.pair, {Metric.TTFT_P90: TOO_FEW}) for run in runs]

    assert verdict(runs).decision is Decision.INCONCLUSIVE
    assert verdict(runs).further is None


def test_throughput_can_be_the_primary_metric_and_more_is_better():
    runs = pairs([1.2, 1.21, 1.19, 1.2, 1.22], metrics=(Metric.OUTPUT_TOKENS_PER_SECOND,))

    assert verdict(runs, primary=Metric.OUTPUT_TOKENS_PER_SECOND).decision is Decision.ADOPT
    assert "19 to 21.8 % higher" in verdict(runs, primary=Metric.OUTPUT_TOKENS_PER_SECOND).reasons[1]


def segmented(ratios_by_segment, whole, **figures):
    runs = []
    for pair in range(5):
        runs.append(summary(pair=pair, segments=dict.fromkeys(ratios_by_segment, STEADY)))
        segments = {
            name: STEADY | {Metric.TTFT_P90: ratios[pair]} | figures.get(name, {})
            for name, ratios in ratios_by_segment.items()
        }
        runs.append(summary(CANDIDATE, pair, {Metric.TTFT_P90: whole[pair]}, segments=segments))
    return runs


def test_a_gain_of_one_segment_is_adopted_for_that_segment():
    found = verdict(segmented({"chat": BETTER, "search": SAME}, whole=SAME))

    assert found.decision is Decision.ADOPT_NARROWLY
    assert found.adopt_for == ("chat",)
    assert found.reasons[0] == "It is better by more than 5 % only for: chat."


def test_a_gain_everywhere_is_adopted_for_all():
    found = verdict(segmented({"chat": BETTER, "search": BETTER}, whole=BETTER))

    assert found.decision is Decision.ADOPT
    assert found.adopt_for == ()


def test_a_gain_on_the_whole_that_a_segment_pays_for_is_not_adopted_for_it():
    worse = [1 / ratio for ratio in BETTER]

    one = verdict(segmented({"chat": BETTER, "search": worse}, whole=BETTER))
    assert (one.decision, one.adopt_for) == (Decision.ADOPT_NARROWLY, ("chat",))
    other = verdict(segmented({"chat": SAME, "search": worse}, whole=BETTER))
    assert (other.decision, other.reasons[0]) == (Decision.DONT, "It is worse by more than 5 % for: search.")


def test_a_segment_whose_guard_breaks_is_not_adopted():
    runs = segmented({"chat": BETTER, "search": SAME}, whole=SAME, chat={Metric.ERROR_SHARE: 0.03})

    assert verdict(runs).decision is Decision.DONT


def test_a_segment_whose_guard_is_not_settled_is_not_adopted():
    runs = segmented({"chat": BETTER, "search": SAME}, whole=SAME)
    late = [0.8, 1.3, 1.0, 1.2, 0.9]
    runs = [
        summary(
            run.arm,
            run.pair,
            run.steady,
            segments=run.segments | {"chat": run.segments["chat"] | {Metric.TTFT_P99: late[run.pair]}}
            if run.arm == CANDIDATE
            else run.segments,
        )
        for run in runs
    ]

    assert verdict(runs).decision is Decision.DONT


def test_the_more_segments_are_looked_at_the_more_a_gain_has_to_show():
    barely = [0.90, 0.85, 0.93, 0.83, 0.89]
    two = verdict(segmented({"chat": barely, "search": SAME}, whole=SAME))
    many = verdict(segmented({"chat": barely} | {f"other-{n}": SAME for n in range(20)}, whole=SAME))

    assert two.segments[0].p_better < many.segments[0].p_better
    assert two.decision is Decision.ADOPT_NARROWLY
    assert many.decision is Decision.DONT


def test_secondaries_are_corrected_for_their_number_and_never_decide():
    runs = pairs(BETTER, metrics=(Metric.TTFT_P50, Metric.E2E_P50))
    found = verdict(runs, secondaries=(Metric.TTFT_P50, Metric.E2E_P50, Metric.TTFT_P99))
    plain = ttest_rel([log(ratio) for ratio in BETTER], [0.0] * 5).pvalue

    assert found.decision is Decision.DONT
    assert [secondary.p_adjusted for secondary in found.secondaries] == pytest.approx([3 * plain, 3 * plain, 1.0])


def test_windows_are_shown_and_do_not_decide():
    runs = []
    for pair in range(5):
        runs.append(summary(pair=pair, windows={WindowKind.COLD: STEADY}))
        cold = STEADY | {Metric.TTFT_P90: 3.0}
        runs.append(summary(CANDIDATE, pair, {Metric.TTFT_P90: BETTER[pair]}, windows={WindowKind.COLD: cold}))
    found = verdict(runs)

    assert found.decision is Decision.ADOPT
    assert list(found.windows) == [WindowKind.COLD]
    assert found.windows[WindowKind.COLD][0].effect == pytest.approx(3.0)


def test_machines_that_never_change_roles_give_no_verdict():
    runs = [
        summary(run.arm, run.pair, run.steady, fleet="blue" if run.arm == BASELINE else "green")
        for run in pairs(BETTER)
    ]
    found = verdict(runs)

    assert found.decision is Decision.INCONCLUSIVE
    assert "machines of its own" in found.reasons[0]
    assert found.further is None


def test_a_cross_over_removes_the_machines_from_the_comparison():
    # The green machines take 1.3 times as long, whatever their arm.
    runs = []
    for pair, ratio in enumerate([*BETTER, 0.8]):
        fleets = ("blue", "green") if pair % 2 else ("green", "blue")
        for arm, fleet, time in zip((BASELINE, CANDIDATE), fleets, (1.0, ratio), strict=True):
            runs.append(summary(arm, pair, {Metric.TTFT_P90: time * (1.3 if fleet == "green" else 1)}, fleet=fleet))
    found = verdict(runs)

    assert found.decision is Decision.ADOPT
    assert found.primary.effect == pytest.approx(0.8, abs=0.01)


def test_several_verdicts_need_more_evidence_each():
    ratios = [0.90, 0.86, 0.93, 0.84, 0.89]

    assert verdict(pairs(ratios)).decision is Decision.ADOPT
    assert verdict(pairs(ratios), verdicts=10).decision is Decision.INCONCLUSIVE


def test_failures_in_some_runs_leave_nothing_to_compare_and_it_is_said():
    ratios = [*BETTER[:4], float("inf")]
    found = verdict(pairs(ratios))

    assert found.decision is Decision.INCONCLUSIVE
    assert found.further is None
    assert found.reasons[1] == (
        "P90 TTFT cannot be compared: so many requests failed in some runs that it is infinite there."
    )
