"""A comparison as the document that its report is made from."""

from __future__ import annotations

from importlib.metadata import version
from math import nan
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.measure.metrics import Metric
from warmroute.measure.pairing import pair_up
from warmroute.measure.report.arms import arm_part
from warmroute.measure.report.compared import verdict_part
from warmroute.measure.report.document import VERSION, CriteriaPart, NoisePart, Report, RunPart
from warmroute.measure.report.spans import band
from warmroute.measure.report.threats import threats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from warmroute.measure.comparison import Comparison, Noise, RecordedRun
    from warmroute.measure.metrics import Figures
    from warmroute.measure.pairing import Pairing
    from warmroute.measure.report.tally import RunTally
    from warmroute.measure.run import RunKey


def build(comparison: Comparison, tallies: Mapping[RunKey, RunTally]) -> Report:
    """The document of a comparison.

    Args:
        comparison: What was compared.
        tallies: For each of its runs, the count of its requests.
    """
    judged = [run.summary for run in comparison.runs if not run.is_noise]
    pairings = {
        verdict.candidate: pair_up(judged, comparison.baseline, verdict.candidate) for verdict in comparison.verdicts
    }
    verdicts = tuple(
        verdict_part(verdict, pairings[verdict.candidate], comparison.criteria) for verdict in comparison.verdicts
    )
    observed = {key: _plain(telemetry.to_json()) for key, telemetry in comparison.telemetry.items()}
    counts = _compared(pairings.values())
    arms = []
    for name in (comparison.baseline, *pairings):
        keys = [run.key for run in comparison.runs if run.arm == name and not run.is_noise and counts(run)]
        arms.append(arm_part(name, [tallies[key] for key in keys], [observed.get(key) or {} for key in keys]))
    runs = tuple(
        _run(tallies[run.key], observed.get(run.key), compared=not run.is_noise and counts(run))
        for run in comparison.runs
    )
    aa = _noise(comparison.aa)
    criteria = CriteriaPart(**comparison.criteria.to_json())
    return Report(
        version=VERSION,
        warmroute=version("warmroute"),
        baseline=comparison.baseline,
        criteria=criteria,
        verdicts=verdicts,
        arms=tuple(arms),
        runs=runs,
        aa=aa,
        threats=threats(verdicts, arms, runs, aa, criteria),
        notes=comparison.notes,
        manifest=_plain(comparison.manifest),
    )


def _compared(pairings: Iterable[Pairing]) -> Callable[[RecordedRun], bool]:
    """Whether a run is one of a pair that is compared: the figures of arms are those that verdicts rest on."""
    pairs = [pair for pairing in pairings for pair in pairing.pairs]
    found = {(run.pair, run.arm) for pair in pairs for run in (pair.baseline, pair.candidate)}
    return lambda run: (run.pair, run.arm) in found


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON has them."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(dict(values), default=str))
    return found


def _run(tally: RunTally, telemetry: dict[str, Any] | None, *, compared: bool) -> RunPart:
    run = tally.run
    return RunPart(
        arm=run.arm,
        pair=run.pair,
        position=run.position,
        part=run.part,
        is_noise=run.is_noise,
        compared=compared,
        started=run.started,
        duration_seconds=run.duration_seconds,
        endpoint_arn=run.endpoint_arn,
        endpoint_config_arn=run.endpoint_config_arn,
        engine=run.engine,
        fleet=run.fleet,
        instances=run.instances,
        windows=tuple(band(window) for window in run.windows),
        problems=run.problems,
        requests=len(tally.planned),
        failed=tally.failed,
        lag_p99_seconds=tally.lag_p99_seconds,
        figures=_figures(run.summary.steady),
        segments={name: _figures(found) for name, found in run.summary.segments.items()},
        in_windows={kind.value: _figures(found) for kind, found in run.summary.windows.items()},
        telemetry=telemetry,
    )


def _figures(found: Figures) -> dict[str, float]:
    return {metric.value: value if isinstance(value := found.get(metric), float) else nan for metric in Metric}


def _noise(noise: Noise | None) -> NoisePart | None:
    if noise is None:
        return None
    return NoisePart(
        metric=noise.metric.value,
        label=noise.metric.label,
        figures=noise.figures,
        deviation=noise.deviation,
        gain=noise.gain,
        pairs_needed=noise.pairs_needed,
    )
