from __future__ import annotations

import pytest

from warmroute.tune.explanation import verdict
from warmroute.tune.result import Expectation


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
