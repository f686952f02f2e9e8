"""A short form of ``python -m benchmarks compare_null``."""

from __future__ import annotations

import pytest
from measure.queue_model import BASELINE, CANDIDATE, QueueModel

from warmroute.measure.decision import Decision
from warmroute.measure.verdict import judge


def decisions(model, trials, seed):
    found = [judge(runs, BASELINE, CANDIDATE) for runs in model.trials(trials, 5, seed)]
    return [(verdict.decision, verdict.primary.worse) for verdict in found]


@pytest.mark.parametrize("same_trace", [True, False])
def test_without_a_difference_hardly_any_verdict_is_false(same_trace):
    found = decisions(QueueModel(same_trace=same_trace), 40, seed=11)
    false = [decision for decision, worse in found if decision in (Decision.ADOPT, Decision.ADOPT_NARROWLY) or worse]

    assert len(false) <= 0.08 * len(found)


def test_a_service_that_is_15_percent_shorter_is_adopted():
    found = decisions(QueueModel(utilisation=0.6, faster=0.15), 20, seed=12)

    assert sum(decision is Decision.ADOPT for decision, _ in found) >= 0.8 * len(found)
