"""Comparisons that are over, made up: their runs in folders, as a comparison leaves them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
from measure.runs import STARTED, a_run, replayed

from warmroute.measure import Window, WindowKind
from warmroute.measure.comparison import Comparison, LeftOut, Noise, RecordedRun
from warmroute.measure.criteria import Criteria
from warmroute.measure.metrics import Metric
from warmroute.measure.replay.journal import Journal
from warmroute.measure.statistics import pairs_for_reduction, run_noise
from warmroute.measure.summary import summarise
from warmroute.measure.verdict import judge

LAGGED = "The client lagged: P99 of the send lag is 82.0 ms, above 50 ms."


@dataclass(frozen=True)
class Telemetry:
    values: dict

    def to_json(self):
        return self.values


def requests(arm, pair, count, *, scale=1.0, seed=0, instances=4, segments=("",), cached=0.2, failing=0.0, told=True):
    """A run of requests with a long tail, and now and then a failure."""
    random = np.random.default_rng([seed, pair, *arm.encode()])
    ttft = 0.4 * scale * np.exp(0.06 * random.standard_normal()) * random.lognormal(sigma=0.6, size=count)
    cold = np.arange(count) < count // 10
    ttft = np.where(cold, 1.8 * ttft, ttft)
    failed = random.random(count) < failing
    instance = random.zipf(1.6, size=count) % instances if cached > 0.5 else random.integers(instances, size=count)
    return tuple(
        replayed(
            arm,
            pair,
            index,
            float(ttft[index]),
            planned_seconds=index * 0.5,
            sent_seconds=index * 0.5 + 0.002,
            segment=segments[index % len(segments)],
            error="ThrottlingException" if failed[index] else None,
            instance=f"i-{instance[index]:02}" if told and not failed[index] else None,
            input_tokens=1_000,
            cached_tokens=int(1_000 * cached) if told else None,
            overflowed=bool(random.random() < 0.07) if told and cached > 0.5 else None,
        )
        for index in range(count)
    )


def recorded(folder, run, *, is_noise=False):
    """A run in a folder of its own."""
    where = folder / "runs" / f"{run.pair}-{run.position}-{run.arm.encode().hex()[:40]}"
    journal = Journal(where)
    for row in run.requests:
        journal.write(row)
    journal.close()
    return RecordedRun(**run.facts(), is_noise=is_noise, summary=summarise(run), folder=where)


def comparison(
    folder,
    scales,
    *,
    pairs=6,
    count=400,
    aa=5,
    criteria=None,
    invalid=(),
    windows=True,
    scaling=(),
    options=None,
    **others,
):
    """A comparison of arms whose times have some scales; the first is the baseline."""
    baseline, *candidates = scales
    runs, left_out = [], []
    spans = (Window(WindowKind.COLD, 0.0, count * 0.05),) if windows else ()
    for pair in range(aa):
        rows = requests(baseline, 100 + pair, count)
        run = a_run(baseline, 100 + pair, requests=rows, windows=spans, duration_seconds=count * 0.5 + 5)
        run = replace(run, started=STARTED - timedelta(hours=aa - pair))
        runs.append(recorded(folder, run, is_noise=True))
    scaled = Window(WindowKind.SCALING, count * 0.2, count * 0.3, "4 to 5 instances")
    for pair in range(pairs):
        for position, (arm, scale) in enumerate(scales.items()):
            rows = requests(arm, pair, count, scale=scale, **(options or {}).get(arm, {}))
            problems = (LAGGED,) if (arm, pair) in invalid else ()
            run = a_run(
                arm,
                pair,
                requests=rows,
                windows=(*spans, scaled) if (arm, pair) in scaling else spans,
                instances=4 + pair % 2 * position,
                problems=problems,
                position=position,
                duration_seconds=count * 0.5 + 5,
            )
            runs.append(recorded(folder, run))
            if problems:
                left_out.append(LeftOut(pair, arm, problems))
    criteria = criteria or Criteria(verdicts=max(1, len(candidates)))
    noise = None
    if aa >= 2:
        figures = tuple(run.summary.steady[Metric.TTFT_P90] for run in runs[:aa])
        deviation = run_noise(figures)
        noise = Noise(
            metric=Metric.TTFT_P90,
            figures=figures,
            deviation=deviation,
            gain=0.15,
            pairs_needed=pairs_for_reduction(deviation, 0.15, beyond=criteria.minimum_effect),
        )
    judged = [run.summary for run in runs if not run.is_noise]
    values = {
        "baseline": baseline,
        "verdicts": tuple(judge(judged, baseline, candidate, criteria) for candidate in candidates),
        "runs": tuple(runs),
        "criteria": criteria,
        "aa": noise,
        "manifest": {"command": "warmroute compare trace.jsonl", "trace": {"sha256": "ab" * 32}, "seed": 7},
        "left_out": tuple(left_out),
    }
    return Comparison(**(values | others))
