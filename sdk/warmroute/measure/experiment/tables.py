"""The results of an experiment as tables: ``runs.csv`` and ``requests.parquet``."""

from __future__ import annotations

import csv
from math import isfinite
from typing import TYPE_CHECKING

from warmroute.measure.metrics import Metric, Unmeasured
from warmroute.measure.replay.journal import unwritable, write_tables

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.measure.comparison import Comparison


def write_results(folder: Path, comparison: Comparison) -> None:
    """Put the results beside the runs; what was there before is replaced.

    Args:
        folder: Of the experiment.
        comparison: The results.

    Raises:
        WarmrouteError: A file cannot be written.
    """
    try:
        _write_runs(folder / "runs.csv", comparison)
        unfinished = folder / ".requests.parquet"
        write_tables([run.folder for run in comparison.runs], unfinished)
        unfinished.replace(folder / "requests.parquet")
    except OSError as error:
        raise unwritable(folder, error) from None


_COLUMNS = (
    *("pair", "position", "arm", "part", "is_noise", "started", "duration_seconds", "requests"),
    *("endpoint_arn", "endpoint_config_arn", "engine", "fleet", "instances", "problems"),
)


def _write_runs(file: Path, comparison: Comparison) -> None:
    """One line a run, its figures in steady state."""
    unfinished = file.with_name(f".{file.name}")
    with unfinished.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, [*_COLUMNS, *Metric], lineterminator="\n")
        table.writeheader()
        for run in comparison.runs:
            facts = {name: getattr(run, name) for name in _COLUMNS if name != "requests"}
            told = {"started": run.started.isoformat(), "requests": run.summary.requests}
            figures = {metric: run.summary.steady.get(metric) for metric in Metric}
            known = {str(metric): value for metric, value in figures.items() if _is_told(value)}
            table.writerow(facts | told | {"problems": " ".join(run.problems)} | known)
    unfinished.replace(file)


def _is_told(value: float | Unmeasured | None) -> bool:
    return isinstance(value, float) and isfinite(value)
