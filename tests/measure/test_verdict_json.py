"""A verdict as JSON says what the verdict says, and nothing that JSON cannot."""

from __future__ import annotations

import json

import pytest
from measure.runs import BASELINE, CANDIDATE, pairs, summary

from warmroute.measure.criteria import Criteria
from warmroute.measure.metrics import Metric, Unmeasured
from warmroute.measure.verdict import judge
from warmroute.measure.verdict_json import criteria_json, figures_json, verdict_json


def written(runs, criteria=None):
    return json.loads(json.dumps(verdict_json(judge(runs, BASELINE, CANDIDATE, criteria)), allow_nan=False))


def test_what_is_shown():
    verdict = written(pairs([0.8, 0.81, 0.79, 0.8, 0.82]))

    assert (verdict["format"], verdict["decision"], verdict["pairs"]) == (1, "adopt", 5)
    assert verdict["primary"]["metric"] == "ttft_p90"
    assert verdict["primary"]["scale"] == "ratio"
    assert verdict["primary"]["interval"][0] < verdict["primary"]["effect"] < verdict["primary"]["interval"][1] < 0.85
    assert set(verdict["primary"]["by_pair"]) == {"0", "1", "2", "3", "4"}
    assert {guard["metric"]: guard["state"] for guard in verdict["guards"]}["error_share"] == "holds"
    assert next(g for g in verdict["guards"] if g["metric"] == "error_share")["scale"] == "difference"


def test_what_nothing_bounds_is_null():
    verdict = written(pairs([0.8]))

    assert verdict["decision"] == "inconclusive"
    assert verdict["primary"]["estimate"]["standard_error"] is None
    assert verdict["primary"]["interval"][1] is None


def test_what_is_not_known_says_why():
    unknown = {Metric.TTFT_P90: Unmeasured("It is not told.", too_few_requests=True)}
    runs = [summary(arm, pair, unknown) for pair in range(5) for arm in (BASELINE, CANDIDATE)]

    assert written(runs)["primary"]["unmeasured"] == {"reason": "It is not told.", "too_few_requests": True}
    assert figures_json(runs[0].steady)["ttft_p90"] is None


@pytest.mark.parametrize("pairs_of_errors", [1, 5])
def test_infinite_latencies_are_null(pairs_of_errors):
    ratios = [float("inf")] * pairs_of_errors + [1.0] * (5 - pairs_of_errors)

    assert written(pairs(ratios))["primary"]["by_pair"]["0"] is None


def test_criteria():
    found = criteria_json(Criteria(verdicts=3))

    assert (found["primary"], found["verdicts"], found["guards"]["ttft_p99"]) == ("ttft_p90", 3, 0.10)
