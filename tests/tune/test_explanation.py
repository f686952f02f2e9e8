from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from warmroute.tune.explanation import cautions, verdict
from warmroute.tune.report import tuning_lines
from warmroute.tune.result import Collapse, Expectation, Margin, Recommendation, TuningResult


def of(*means: float) -> Expectation:
    mean = sum(means) / len(means)
    return Expectation(
        ttft_p50=mean,
        ttft_p90=mean,
        ttft_p99=mean,
        ttft_mean=mean,
        hit_rate=0.5,
        overflow_share=0.0,
        least_share=0.2,
        largest_share=0.3,
        output_tokens_per_second=1.0,
        ttft_mean_least=min(means),
        ttft_mean_most=max(means),
    )


@pytest.mark.parametrize(
    ("aware", "least", "judged"),
    [
        ((0.10, 0.11, 0.10), (0.20, 0.09, 0.40), "gains"),  # Where RANDOM is lucky once, it is no better for it.
        ((0.10, 0.30, 0.10), (0.25, 0.25, 0.25), "gains nothing"),  # Where keys fall badly, nothing is gained.
        ((0.10, 0.10, 0.10), (0.10, 0.10, 0.10), "gains nothing"),
    ],
)
def test_a_gain_does_not_depend_on_how_the_runs_of_the_others_differ(
    aware: tuple[float, ...], least: tuple[float, ...], judged: str
) -> None:
    strategies = {"PREFIX_AWARE": of(*aware), "RANDOM": of(*least), "LEAST_OUTSTANDING_REQUESTS": of(9.0)}

    assert verdict(strategies, is_safe=True)[0] == judged
    assert verdict(strategies, is_safe=False)[:2] == ("unsafe", "RANDOM")


MARGIN = Margin(
    in_flight_healthy=4.0,
    in_flight_overflowing=20.0,
    survives_from=12,
    collapses_at=8,
    disturbances=("a burst", "a new instance"),
    collapses=(Collapse(4, ("a burst", "a new instance")), Collapse(8, ("a burst",))),
)


def found(*, threshold: int = 16, margin: Margin = MARGIN, aware: Expectation | None = None, **fields: Any) -> Any:
    """A tuning's result, as far as it is told here."""
    strategies = {"PREFIX_AWARE": aware or of(0.1), "RANDOM": of(0.2)}
    known: dict[str, Any] = {
        "recommendation": Recommendation(
            routing_strategy="PREFIX_AWARE", prefix_length=4_096, concurrency_threshold=threshold
        ),
        "verdict": "gains",
        "verdict_reason": "It is faster.",
        "why": "It is best.",
        "api": "invoke",
        "flat_lengths": (4_096, 4_096),
        "flat_thresholds": (12, 24),
        "hit_rate_ceiling": 0.9,
        "hit_rate_predicted": 0.8,
        "hit_rate_without_affinity": 0.3,
        "strategies": strategies,
        "scale_out": strategies,
        "new_instance_share": dict.fromkeys(strategies, 0.1),
        "other_lengths": (),
        "other_thresholds": (),
        "margin": margin,
        "slo_ttft_p90_seconds": None,
        "meets_slo": None,
        "profile": None,
        "instances": 4,
        "seed": 7,
        "simulated_requests": 100,
        "notes": (),
        "cautions": (),
    }
    return TuningResult(**{**known, **fields})


def test_values_that_are_well_within_their_margins_have_no_caution() -> None:
    assert cautions(found()) == []


@pytest.mark.parametrize(
    ("result", "caution"),
    [
        (
            found(margin=replace(MARGIN, in_flight_overflowing=None)),
            (
                "The fleet cannot carry this load when requests do not go home, so a lasting overflow would not end by "
                "itself: threshold 16 is far above what is in flight, and excess load must be shed elsewhere."
            ),
        ),
        (found(threshold=9), "Threshold 8 collapsed, which is close to 9."),
        (
            found(meets_slo=False, slo_ttft_p90_seconds=0.05),
            "The P90 TTFT is 100 ms, above the wanted 50 ms.",
        ),
        (
            found(aware=replace(of(0.1), least_share=0.05, largest_share=0.6)),
            (
                "Load is uneven: one instance serves 60.0 % of the requests, another 5.0 %. A PrefixAwareId for each "
                "application or tenant spreads a frequent prefix."
            ),
        ),
    ],
)
def test_what_a_reader_should_know_before_the_values_are_used(result: Any, caution: str) -> None:
    assert cautions(result) == [caution]


@pytest.mark.parametrize(
    ("margin", "words"),
    [
        (
            MARGIN,
            "as did all from 12 up; 8 did not recover from a burst. The margin is a factor of 2.0.",
        ),
        (
            replace(MARGIN, collapses_at=None, collapses=()),
            "as did all from 12 up; none of those tried collapsed.",
        ),
        (replace(MARGIN, survives_from=None), "None recovered from all of: a burst, a new instance."),
    ],
)
def test_the_report_tells_what_the_threshold_survived(margin: Margin, words: str) -> None:
    assert words in " ".join(" ".join(tuning_lines(found(margin=margin))).split())


@pytest.mark.parametrize(("meets", "words"), [(True, "is met."), (False, "is missed.")])
def test_the_report_tells_whether_the_wanted_time_is_met(meets: bool, words: str) -> None:
    lines = list(tuning_lines(found(meets_slo=meets, slo_ttft_p90_seconds=0.25)))

    assert f"The wanted P90 of 250 ms {words}" in lines
