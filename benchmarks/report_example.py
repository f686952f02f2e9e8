"""The example of the documentation: ``python -m benchmarks.report_example FOLDER`` writes a whole report.

RANDOM against LEAST_OUTSTANDING_REQUESTS and PREFIX_AWARE on 7 simulated ml.p5.48xlarge with Llama 3.1 70B, in virtual
time: 8 pairs of runs of two minutes, 9 requests a second in bursts, each about one of some documents of 8,000 tokens.
The machines differ by 2 % between runs.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from warmroute.fleet import FleetConfig, FleetRequest, Prompt, simulate
from warmroute.measure import ReplayedRequest, Run, Window, WindowKind
from warmroute.measure.comparison import Comparison, Noise, RecordedRun
from warmroute.measure.criteria import Criteria
from warmroute.measure.metrics import Metric
from warmroute.measure.replay.journal import Journal
from warmroute.measure.report import write_report
from warmroute.measure.run import SIMULATED
from warmroute.measure.statistics import pairs_for_reduction, run_noise
from warmroute.measure.summary import summarise
from warmroute.measure.verdict import judge
from warmroute.routing import RoutingConfig
from warmroute.routing_strategy import RoutingStrategy

BASELINE = "random"
ARMS = {
    BASELINE: RoutingConfig.random(),
    "least-outstanding": RoutingConfig(routing_strategy=RoutingStrategy.LEAST_OUTSTANDING_REQUESTS),
    "prefix-aware": RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=4),
}
TENANTS = {"contracts": 60, "manuals": 90, "tickets": 130}
"""Segments, and how many documents each has."""

AA_PAIRS, PAIRS, SECONDS, RATE, COLD_SECONDS, GAIN = 2, 8, 120.0, 9.0, 12.0, 0.15
SEED = 8


@dataclass(frozen=True)
class Told:
    """What is known of a run beside its requests."""

    ceiling: float

    def to_json(self) -> dict[str, Any]:
        """As telemetry has it."""
        why = dict.fromkeys(("queue_depth", "kv_cache_usage", "ttft"), "The fleet is simulated: it has no metrics.")
        why["hit_rate_predicted"] = "The runs are simulations themselves."
        return {"hit_rate": {"ceiling": self.ceiling}, "unavailable": why}


def main(folder: Path) -> None:
    """Simulate every run, judge them, write the report."""
    runs: list[RecordedRun] = []
    told: dict[tuple[int, int, str], Any] = {}
    order = random.Random(SEED)
    for pair in range(AA_PAIRS + PAIRS):
        is_noise = pair < AA_PAIRS
        arms = [BASELINE, BASELINE] if is_noise else order.sample(list(ARMS), len(ARMS))
        for position, arm in enumerate(arms):
            started = datetime(2026, 11, 30, 9, tzinfo=UTC) + timedelta(minutes=5 * len(runs))
            run, ceiling = _run(arm, pair, position, started)
            runs.append(_recorded(folder, run, is_noise=is_noise))
            told[runs[-1].key] = Told(ceiling)
    criteria = Criteria(verdicts=len(ARMS) - 1)
    judged = [run.summary for run in runs if not run.is_noise]
    files = write_report(
        folder,
        Comparison(
            baseline=BASELINE,
            verdicts=tuple(judge(judged, BASELINE, arm, criteria) for arm in ARMS if arm != BASELINE),
            runs=tuple(runs),
            criteria=criteria,
            aa=_noise(runs, criteria),
            manifest={"command": "python -m benchmarks.report_example", "seed": SEED, "about": __doc__},
            left_out=(),
            notes=("This is an example: the fleet is simulated, and the traffic made up.",),
            telemetry=told,
        ),
    )
    print(files.page)


def _run(arm: str, pair: int, position: int, started: datetime) -> tuple[Run, float]:
    """A run, and the hit rate of one cache that all its requests share."""
    asked = list(_requests(random.Random(SEED)))
    luck = random.Random(f"{SEED}/{pair}/{position}/{arm}")
    slower = luck.lognormvariate(0, 0.02)
    result = simulate(
        (request for _, request in asked), FleetConfig(instances=7, routing=ARMS[arm]), seed=luck.randrange(2**31)
    )
    rows = tuple(
        ReplayedRequest(
            arm=arm,
            pair=pair,
            position=position,
            index=index,
            segment=segment,
            planned_seconds=met.arrival_seconds,
            sent_seconds=met.arrival_seconds,
            ttft_seconds=slower * met.ttft_seconds,
            e2e_seconds=slower * met.e2e_seconds,
            inter_token_seconds=slower * (met.e2e_seconds - met.ttft_seconds) / (met.output_tokens - 1),
            input_tokens=met.prompt_tokens,
            output_tokens=met.output_tokens,
            cached_tokens=met.cached_tokens,
            instance=f"instance-{met.instance}",
            overflowed=met.overflowed if arm == "prefix-aware" else None,
        )
        for index, ((segment, _), met) in enumerate(zip(asked, result, strict=True))
    )
    seen: set[object] = set()
    new = sum(16 * request.prompt.ends[0] for _, request in asked if not _again(request.prompt.segments[0], seen))
    ceiling = sum(16 * request.prompt.ends[0] for _, request in asked) - new
    run = Run(
        arm=arm,
        pair=pair,
        position=position,
        started=started,
        duration_seconds=max(row.planned_seconds + row.e2e_seconds for row in rows),
        endpoint_arn="arn:aws:sagemaker:us-east-1:111122223333:endpoint/example",
        engine=f"{SIMULATED} in virtual time",
        requests=rows,
        windows=(Window(WindowKind.COLD, 0.0, COLD_SECONDS),),
    )
    return run, ceiling / sum(row.input_tokens or 0 for row in rows)


def _again(document: object, seen: set[object]) -> bool:
    known = document in seen
    seen.add(document)
    return known


def _requests(chance: random.Random) -> Iterator[tuple[str, FleetRequest]]:
    """Requests in bursts: gaps that are gamma-distributed, their squared variation 4."""
    documents = [(tenant, number) for tenant, count in TENANTS.items() for number in range(count)]
    weights = [1 / (10 + number) for _, number in documents]
    now, index = 0.0, 0
    while (now := now + chance.gammavariate(0.25, 4 / RATE)) < SECONDS:
        index += 1
        tenant, number = chance.choices(documents, weights)[0]
        tokens = 8_001 + int(chance.expovariate(1 / 120))
        prompt = Prompt(tokens, ((tenant, number), ("question", index)), (500, max(501, tokens // 16)))
        yield tenant, FleetRequest(now, prompt, 16 + int(chance.expovariate(1 / 150)), f"{tenant}/{number}".encode())


def _recorded(folder: Path, run: Run, *, is_noise: bool) -> RecordedRun:
    where = folder / "runs" / f"{run.pair}-{run.position}-{run.arm}"
    journal = Journal(where)
    for row in run.requests:
        journal.write(row)
    journal.close()
    return RecordedRun(**run.facts(), is_noise=is_noise, summary=summarise(run), folder=where)


def _noise(runs: list[RecordedRun], criteria: Criteria) -> Noise:
    figures = [run.summary.steady[Metric.TTFT_P90] for run in runs if run.is_noise]
    known = [figure for figure in figures if isinstance(figure, float)]
    deviation = run_noise(known)
    needed = pairs_for_reduction(deviation, GAIN, beyond=criteria.minimum_effect)
    return Noise(metric=Metric.TTFT_P90, figures=tuple(known), deviation=deviation, gain=GAIN, pairs_needed=needed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
