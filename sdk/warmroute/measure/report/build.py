"""A comparison as the document that its report is made from."""

from __future__ import annotations

from importlib.metadata import version
from math import nan
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.measure.metrics import Metric, Unmeasured
from warmroute.measure.pairing import pair_up
from warmroute.measure.report.arms import arm_part
from warmroute.measure.report.compared import verdict_part
from warmroute.measure.report.document import VERSION, CriteriaPart, NoisePart, Report, RunPart
from warmroute.measure.report.spans import band
from warmroute.measure.report.threats import threats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.measure.comparison import Comparison, Noise
    from warmroute.measure.criteria import Criteria
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
    arms = []
    for name in (comparison.baseline, *pairings):
        keys = [run.key for run in comparison.runs if run.arm == name and not run.is_noise and not run.problems]
        arms.append(arm_part(name, [tallies[key] for key in keys], [observed.get(key) or {} for key in keys]))
    runs = tuple(_run(tallies[run.key], observed.get(run.key)) for run in comparison.runs)
    aa = _noise(comparison.aa)
    criteria = _criteria(comparison.criteria)
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


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON has them."""
    found: dict[str, Any] = orjson.loads(orjson.dumps(dict(values), default=str))
    return found


def _run(tally: RunTally, telemetry: dict[str, Any] | None) -> RunPart:
    run = tally.run
    return RunPart(
        arm=run.arm,
        pair=run.pair,
        position=run.position,
        is_noise=run.is_noise,
        started=run.started,
        duration_seconds=run.duration_seconds,
        endpoint_arn=run.endpoint_arn,
        endpoint_config_arn=run.endpoint_config_arn,
        fleet=run.fleet,
        instances=run.instances,
        windows=tuple(band(window) for window in run.windows),
        problems=run.problems,
        requests=len(tally.planned),
        failed=tally.failed,
        lag_p99_seconds=tally.lag_p99_seconds,
        figures={metric.value: _number(run.summary.steady.get(metric)) for metric in Metric},
        telemetry=telemetry,
    )


def _number(figure: float | Unmeasured | None) -> float:
    return nan if figure is None or isinstance(figure, Unmeasured) else figure


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


def _criteria(criteria: Criteria) -> CriteriaPart:
    return CriteriaPart(
        primary=criteria.primary.value,
        minimum_effect=criteria.minimum_effect,
        guards={metric.value: margin for metric, margin in criteria.guards.items()},
        minimum_pairs=criteria.minimum_pairs,
        alpha=criteria.alpha,
        verdicts=criteria.verdicts,
    )
