from __future__ import annotations

from dataclasses import fields
from math import log

import pytest

from warmroute.errors import WarmrouteError
from warmroute.measure.criteria import Criteria
from warmroute.measure.metrics import Metric


def test_margins_are_log_ratios_but_for_errors():
    criteria = Criteria()

    assert criteria.effect == pytest.approx(-log(0.95))
    assert criteria.margin(Metric.TTFT_P99) == pytest.approx(log(1.1))
    assert criteria.margin(Metric.OUTPUT_TOKENS_PER_SECOND) == pytest.approx(-log(0.95))
    assert criteria.margin(Metric.ERROR_SHARE) == 0.005


def test_a_document_holds_all_of_them():
    found = Criteria(verdicts=3).to_json()

    assert (found["primary"], found["verdicts"], found["guards"]["ttft_p99"]) == ("ttft_p90", 3, 0.10)
    assert set(found) == {field.name for field in fields(Criteria)}


def test_several_verdicts_share_the_chance_of_a_false_one():
    assert Criteria(verdicts=4).alpha_each == 0.0125


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"primary": Metric.ERROR_SHARE}, "error_share cannot be the primary metric"),
        ({"minimum_effect": 5}, "minimum_effect: 5 is not between 0 and 1. 0.05 stands for 5 %."),
        ({"alpha": 0}, "alpha: 0 is not between"),
        ({"guards": {Metric.TTFT_P99: 1.0}}, r"guards\[ttft_p99\]: 1 is not between"),
        ({"minimum_pairs": 2}, "minimum_pairs: 2 is below 3"),
        ({"verdicts": 0}, "verdicts: 0 is below 1"),
    ],
)
def test_a_question_that_cannot_be_asked(settings, message):
    with pytest.raises(WarmrouteError, match=message):
        Criteria(**settings)
