"""What holds of every comparison, whatever the runs."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure.runs import BASELINE, CANDIDATE, a_run, summary, ttfts

from warmroute.measure.criteria import Criteria
from warmroute.measure.decision import Decision
from warmroute.measure.metrics import Metric
from warmroute.measure.summary import summarise
from warmroute.measure.verdict import judge

WINS = (Decision.ADOPT, Decision.ADOPT_NARROWLY)
TIMES = [metric for metric in Metric if metric.is_latency]
SEGMENTS = ("chat", "search")
FACTORS = [0.5, 0.8, 0.95, 1.0, 1.05, 1.3]


def figures(random, level, noise):
    """Of one run: times about a level, few errors, throughput and shares about the usual."""

    def near(middle, part):
        return middle * random.uniform(1 - part, 1 + part)

    return {
        **{metric: near(level, noise) for metric in TIMES},
        Metric.ERROR_SHARE: random.choice([0.0, 0.0, 0.001, 0.02]) if noise > 0.05 else 0.0,
        Metric.OUTPUT_TOKENS_PER_SECOND: near(1_000, noise / 3),
        Metric.LARGEST_INSTANCE_SHARE: near(0.15, noise),
    }


@st.composite
def comparisons(draw):
    """Summaries of five to eight pairs; the arms differ by a factor, in one segment by another."""
    random = Random(draw(st.integers(0, 2**32)))
    factors, noise = [draw(st.sampled_from(FACTORS)) for _ in range(3)], draw(st.sampled_from([0.01, 0.05, 0.1]))
    return [
        summary(
            arm,
            pair,
            figures(random, levels[0], noise),
            segments={name: figures(random, level, noise) for name, level in zip(SEGMENTS, levels[1:], strict=True)},
        )
        for pair in range(draw(st.integers(5, 8)))
        for arm, levels in ((BASELINE, (1.0, 1.0, 1.0)), (CANDIDATE, factors))
    ]


@settings(max_examples=60)
@given(comparisons())
def test_swapped_arms_have_inverse_ratios_and_never_both_win(runs):
    one, other = judge(runs, BASELINE, CANDIDATE), judge(runs, CANDIDATE, BASELINE)

    assert one.primary.effect == pytest.approx(1 / other.primary.effect)
    assert one.primary.interval == pytest.approx((1 / other.primary.interval.high, 1 / other.primary.interval.low))
    assert not (one.decision is Decision.ADOPT and other.decision in WINS)
    assert not set(one.adopt_for) & set(other.adopt_for)


@settings(max_examples=60)
@given(comparisons(), st.integers(-8, 8))
def test_another_unit_of_time_changes_no_verdict(runs, power):
    def scaled(found):
        return {metric: value * 2.0**power if metric.is_latency else value for metric, value in found.items()}

    others = [
        replace(run, steady=scaled(run.steady), segments={name: scaled(of) for name, of in run.segments.items()})
        for run in runs
    ]
    one, other = judge(runs, BASELINE, CANDIDATE), judge(others, BASELINE, CANDIDATE)

    assert (other.decision, other.reasons, other.adopt_for) == (one.decision, one.reasons, one.adopt_for)


@settings(max_examples=60)
@given(comparisons(), st.randoms(use_true_random=False))
def test_the_order_and_the_numbers_of_the_pairs_change_nothing(runs, random):
    numbers = list(range(100))
    random.shuffle(numbers)
    others = [replace(run, pair=numbers[run.pair]) for run in runs]
    random.shuffle(others)
    one, other = judge(runs, BASELINE, CANDIDATE), judge(others, BASELINE, CANDIDATE)

    assert (other.decision, other.reasons, other.adopt_for) == (one.decision, one.reasons, one.adopt_for)
    assert other.primary.estimate == one.primary.estimate


@settings(max_examples=60)
@given(comparisons())
def test_a_win_has_an_interval_beyond_the_minimum_and_no_guard_at_risk(runs):
    found, criteria = judge(runs, BASELINE, CANDIDATE), Criteria()

    assert (found.decision is Decision.INCONCLUSIVE) or found.further is None
    if found.decision is Decision.ADOPT:
        assert found.primary.interval.high < 1 - criteria.minimum_effect
        assert not found.primary.equivalent(criteria.effect)
        for guard in found.guards:
            worst = guard.compared.harm.interval(0.05).high
            assert worst < guard.margin


@settings(max_examples=60)
@given(comparisons(), st.floats(0.02, 0.5))
def test_a_candidate_with_more_errors_than_allowed_never_wins(runs, share):
    def failing(found):
        return found | {Metric.ERROR_SHARE: found[Metric.ERROR_SHARE] + share + 0.02}

    others = [
        replace(run, steady=failing(run.steady), segments={name: failing(of) for name, of in run.segments.items()})
        if run.arm == CANDIDATE
        else run
        for run in runs
    ]

    assert judge(others, BASELINE, CANDIDATE).decision not in WINS


@settings(max_examples=20)
@given(st.sampled_from([BASELINE, CANDIDATE]), st.sets(st.integers(0, 399), max_size=15), st.floats(0.7, 1.1))
def test_failed_requests_never_make_their_arm_look_better(arm, failing, factor):
    """In every estimate: the intervals are those of the runs as they are."""

    def verdict(failing):
        runs = [
            summarise(
                a_run(
                    name,
                    pair,
                    ttfts(400, seed=10 * pair + (name == BASELINE), scale=1.0 if name == BASELINE else factor),
                    failing=failing if name == arm else (),
                )
            )
            for pair in range(5)
            for name in (BASELINE, CANDIDATE)
        ]
        return judge(runs, BASELINE, CANDIDATE)

    before, after = verdict(()), verdict(failing)
    # Above zero the candidate is worse; what harms the baseline lowers it.
    sign = 1 if arm == CANDIDATE else -1
    pairs = [(before.primary, after.primary), *zip(before.secondaries, after.secondaries, strict=True)]
    pairs += [(one.compared, other.compared) for one, other in zip(before.guards, after.guards, strict=True)]
    for one, other in pairs:
        # Which requests failed shifts the shares of the instances either way.
        if one.metric is not Metric.LARGEST_INSTANCE_SHARE:
            assert sign * other.harm.mean >= sign * one.harm.mean - 1e-12
    if len(failing) >= 3 and arm == CANDIDATE:
        assert after.decision not in WINS
