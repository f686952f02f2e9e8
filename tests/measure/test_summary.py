from __future__ import annotations

from datetime import timedelta
from math import inf, nan

import pytest
from measure.runs import STARTED, a_run, replayed, ttfts

from warmroute.measure import Window, WindowKind
from warmroute.measure.metrics import Metric, Unmeasured
from warmroute.measure.statistics import quantile
from warmroute.measure.summary import summarise

COLD, SCALING = WindowKind.COLD, WindowKind.SCALING


def test_every_metric_of_a_run():
    times = ttfts(400, 1)
    found = summarise(a_run(ttfts=times))

    assert set(found.steady) == set(Metric)
    for metric, factor, probability in [
        (Metric.TTFT_P50, 1, 0.5),
        (Metric.TTFT_P90, 1, 0.9),
        (Metric.TTFT_P99, 1, 0.99),
        (Metric.E2E_P50, 4, 0.5),
        (Metric.E2E_P90, 4, 0.9),
        (Metric.E2E_P99, 4, 0.99),
        (Metric.INTER_TOKEN_P50, 0.1, 0.5),
        (Metric.INTER_TOKEN_P90, 0.1, 0.9),
    ]:
        assert found.steady[metric] == pytest.approx(factor * quantile(times, probability))
    assert found.steady[Metric.OUTPUT_TOKENS_PER_SECOND] == pytest.approx(400 * 100 / 410)
    assert found.steady[Metric.ERROR_SHARE] == 0.0
    assert found.steady[Metric.LARGEST_INSTANCE_SHARE] == 0.25
    assert found.ended == STARTED + timedelta(seconds=410)


def test_failed_requests_are_infinitely_late_whatever_their_record_says():
    requests = tuple(replayed(index=index, error="Timeout", ttft_seconds=0.1) for index in range(10))
    requests += tuple(replayed(index=index) for index in range(10, 50))
    found = summarise(a_run(requests=requests)).steady

    assert found[Metric.TTFT_P90] == inf
    assert found[Metric.TTFT_P50] == 1.0
    assert found[Metric.ERROR_SHARE] == 0.2
    assert found[Metric.OUTPUT_TOKENS_PER_SECOND] == pytest.approx(40 * 100 / 60)


def test_p99_of_few_requests_is_refused_with_the_number_needed():
    found = summarise(a_run(ttfts=[1.0] * 100)).steady

    assert found[Metric.TTFT_P99] == Unmeasured("P99 of 100 requests is not told: it needs 368.", too_few_requests=True)
    assert found[Metric.TTFT_P90] == pytest.approx(1.0)


def test_what_an_endpoint_does_not_tell_is_not_available():
    requests = tuple(
        replayed(index=index, instance=None, output_tokens=None if index == 7 else 100, ttft_seconds=nan)
        for index in range(50)
    )
    found = summarise(a_run(requests=requests)).steady

    assert "instance" in found[Metric.LARGEST_INSTANCE_SHARE].reason
    assert "output tokens" in found[Metric.OUTPUT_TOKENS_PER_SECOND].reason
    assert found[Metric.TTFT_P90].reason == "The time was not measured for 50 of 50 requests."
    assert not any(found[metric].too_few_requests for metric in found if isinstance(found[metric], Unmeasured)
                   and metric not in (Metric.E2E_P99, Metric.TTFT_P99))  # fmt: skip


def test_answers_of_one_token_have_no_time_between_tokens():
    requests = tuple(replayed(index=index, inter_token_seconds=nan if index < 10 else 0.5) for index in range(50))

    assert summarise(a_run(requests=requests)).steady[Metric.INTER_TOKEN_P90] == pytest.approx(0.5)


def test_cold_and_scaling_windows_are_apart_from_steady_state():
    times = [9.0] * 100 + [1.0] * 300 + [5.0] * 50 + [1.0] * 50
    windows = (Window(COLD, 0, 100), Window(SCALING, 400, 445), Window(SCALING, 410, 420), Window(SCALING, 430, 450))
    found = summarise(a_run(ttfts=times, windows=windows))

    assert found.steady[Metric.TTFT_P90] == pytest.approx(1.0)
    assert found.windows[COLD][Metric.TTFT_P90] == pytest.approx(9.0)
    assert found.windows[SCALING][Metric.TTFT_P90] == pytest.approx(5.0)
    assert found.requests == 500
    # 510 seconds less 100 cold and 50 scaling ones, those that two windows cover counted once.
    assert found.steady[Metric.OUTPUT_TOKENS_PER_SECOND] == pytest.approx(350 * 100 / 360)
    assert found.windows[SCALING][Metric.OUTPUT_TOKENS_PER_SECOND] == pytest.approx(100.0)


def test_a_run_that_is_nothing_but_a_window_has_no_steady_state():
    found = summarise(a_run(ttfts=[1.0] * 50, windows=(Window(COLD, 0, 60),))).steady

    assert all(isinstance(figure, Unmeasured) for figure in found.values())


def test_segments_are_of_steady_state_and_requests_without_one_in_none():
    run = a_run(ttfts=[1.0, 2.0, 3.0] * 100, segments=["chat", "search", ""], windows=(Window(COLD, 0, 30),))
    found = summarise(run).segments

    assert list(found) == ["chat", "search"]
    assert found["search"][Metric.TTFT_P50] == pytest.approx(2.0)
    assert found["chat"][Metric.OUTPUT_TOKENS_PER_SECOND] == pytest.approx(90 * 100 / 280)
