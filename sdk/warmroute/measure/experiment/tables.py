"""The results of an experiment as files: ``runs.csv``, ``requests.parquet``, ``verdict.json``."""

from __future__ import annotations

import csv
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from warmroute.measure.experiment.folder import write_json
from warmroute.measure.metrics import Metric
from warmroute.measure.replay.journal import unwritable, write_tables
from warmroute.measure.verdict_json import criteria_json, figures_json, verdict_json

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.measure.comparison import Comparison, RecordedRun

COMPARISON_FORMAT = 1
"""Raised when a field of ``verdict.json`` changes its meaning or goes."""


def write_results(folder: Path, comparison: Comparison) -> None:
    """Put the results beside the runs; what was there before is replaced.

    Args:
        folder: Of the experiment.
        comparison: The results.

    Raises:
        WarmrouteError: A file cannot be written.
    """
    write_json(folder / "verdict.json", comparison_json(comparison))
    try:
        _write_runs(folder / "runs.csv", comparison)
        unfinished = folder / ".requests.parquet"
        write_tables([run.folder for run in comparison.runs], unfinished)
        unfinished.replace(folder / "requests.parquet")
    except OSError as error:
        raise unwritable(folder, error) from None


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as values of JSON, without its requests and its manifest.

    Args:
        comparison: The comparison.
    """
    return {
        "format": COMPARISON_FORMAT,
        "baseline": comparison.baseline,
        "criteria": criteria_json(comparison.criteria),
        "verdicts": [verdict_json(verdict) for verdict in comparison.verdicts],
        "aa": asdict(comparison.aa) if comparison.aa else None,
        "runs": [_run(run) for run in comparison.runs],
        "left_out": [asdict(each) for each in comparison.left_out],
        "notes": list(comparison.notes),
    }


def _run(run: RecordedRun) -> dict[str, Any]:
    summary = run.summary
    return {
        "arm": run.arm,
        "pair": run.pair,
        "position": run.position,
        "is_noise": run.is_noise,
        "started": run.started.isoformat(),
        "duration_seconds": run.duration_seconds,
        "endpoint_arn": run.endpoint_arn,
        "endpoint_config_arn": run.endpoint_config_arn,
        "fleet": run.fleet,
        "instances": run.instances,
        "requests": summary.requests,
        "problems": list(run.problems),
        "windows": [asdict(window) for window in run.windows],
        "figures": figures_json(summary.steady),
        "segments": {name: figures_json(figures) for name, figures in summary.segments.items()},
        "in_windows": {str(kind): figures_json(figures) for kind, figures in summary.windows.items()},
    }


_COLUMNS = (
    *("pair", "position", "arm", "is_noise", "started", "duration_seconds", "requests"),
    *("endpoint_arn", "endpoint_config_arn", "fleet", "instances", "problems"),
)


def _write_runs(file: Path, comparison: Comparison) -> None:
    """One line a run, its figures in steady state."""
    unfinished = file.with_name(f".{file.name}")
    with unfinished.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, [*_COLUMNS, *Metric], lineterminator="\n")
        table.writeheader()
        for run in comparison.runs:
            values = _run(run)
            table.writerow(
                {name: values[name] for name in _COLUMNS} | {"problems": " ".join(run.problems)} | values["figures"]
            )
    unfinished.replace(file)
