"""How often a comparison is wrong, and how often it sees a gain, on a queue whose truth is known."""

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.fleet_report import band
from warmroute.measure.criteria import Criteria
from warmroute.measure.decision import Decision
from warmroute.measure.metrics import Metric
from warmroute.measure.statistics import requests_needed
from warmroute.measure.verdict import Verdict, judge

if TYPE_CHECKING:
    from measure.queue_model import QueueModel

TRIALS, PAIRS = 300, 5
SURE_WITHIN = 3.0
"""Points by which a share of 300 trials may lie off."""


def run() -> None:
    """False verdicts without a difference, power with one, in percent of the trials."""
    _find_model()
    from measure.queue_model import QueueModel

    print(f"Verdicts on a queue of 8 servers without and with a difference, {TRIALS} trials of {PAIRS} pairs, %")
    begin = time.process_time()
    for load in (0.6, 0.8):
        for same in (True, False):
            found = verdicts(QueueModel(utilisation=load, same_trace=same), TRIALS, seed=1)
            wrong = 100 * sum(is_false(verdict) for verdict in found) / TRIALS
            kind = "one trace" if same else "traces of their own"
            band(f"  none, load {load}, {kind}: false", wrong, "5 at most", 0, 5 + SURE_WITHIN, form=".1f")
            off = 100 * sum(verdict.primary.estimate.p_different() <= 0.05 for verdict in found) / TRIALS
            band("    intervals that miss the truth", off, "5", 5 - SURE_WITHIN, 5 + SURE_WITHIN, form=".1f")
    for load in (0.6, 0.8):
        found = verdicts(QueueModel(utilisation=load, faster=0.15), TRIALS, seed=2)
        wins = 100 * sum(verdict.decision is Decision.ADOPT for verdict in found) / TRIALS
        band(f"  service 15 % shorter, load {load}: adopted", wins, "80 at least", 80, 100, form=".1f")
    for load, least, goal in ((0.3, 80, "80 at least"), (0.6, 0, "")):
        exactly = QueueModel(utilisation=load, shorter=0.15)
        found = verdicts(exactly, TRIALS, seed=5, criteria=Criteria(primary=Metric.E2E_P90))
        wins = 100 * sum(verdict.decision is Decision.ADOPT for verdict in found) / TRIALS
        band(f"  P90 end to end 15 % shorter, load {load}", wins, goal, least, 100, form=".1f")
    calm = verdicts(QueueModel(utilisation=0.5, requests=1_000, jitter=0.05, machine_effect=0.005), TRIALS, seed=3)
    declined = 100 * Counter(verdict.decision for verdict in calm)[Decision.DONT] / TRIALS
    band("  none, little noise: don't", declined, "", 0, 100, form=".1f")
    by_requests = per_request_findings(QueueModel(), 150, seed=4)
    band("  none, Mann-Whitney over requests: false", by_requests, "", 0, 100, form=".1f")
    band("  requests that P99 needs", requests_needed(0.99), "368", 368, 368, form=".0f")
    band("  CPU time of all, s", time.process_time() - begin, "", 0, 600, form=".0f")


def verdicts(model: "QueueModel", trials: int, seed: int, criteria: Criteria | None = None) -> list[Verdict]:
    """What is decided in each of so many comparisons."""
    from measure.queue_model import BASELINE, CANDIDATE

    return [judge(runs, BASELINE, CANDIDATE, criteria) for runs in model.trials(trials, PAIRS, seed)]


def is_false(verdict: Verdict) -> bool:
    """Whether a verdict claims a difference, where there is none."""
    claims = verdict.primary.worse or any(guard.state == "broken" for guard in verdict.guards)
    return verdict.decision in (Decision.ADOPT, Decision.ADOPT_NARROWLY) or (
        verdict.decision is Decision.DONT and claims
    )


def per_request_findings(model: "QueueModel", trials: int, seed: int) -> float:
    """Percent of comparisons without a difference in which a test over the requests of two runs finds one."""
    from scipy.stats import mannwhitneyu

    _, waits, services, _ = model.runs(trials, 2, np.random.default_rng(seed))
    latencies = waits + services
    found = [mannwhitneyu(latencies[row], latencies[row + 1]).pvalue < 0.05 for row in range(0, len(latencies), 2)]
    return 100 * float(np.mean(found))


def _find_model() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
