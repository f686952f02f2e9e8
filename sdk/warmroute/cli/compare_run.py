"""A comparison while it runs: continued, observed, ended in order, reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from warmroute.cli.stopping import StoppedError
from warmroute.errors import MissingExtraError, WarmrouteError
from warmroute.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from warmroute.arms import FoundEndpoint, PutBack
    from warmroute.measure.comparison import Comparison
    from warmroute.measure.experiment import Arm, Experiment, Served
    from warmroute.measure.telemetry import Observer


def begun(folder: Path) -> dict[str, Any] | None:
    """The manifest of the comparison that is continued; None for a new one."""
    from warmroute.measure.experiment.folder import read_json
    from warmroute.measure.experiment.manifest import MANIFEST

    return read_json(folder / MANIFEST) if (folder / MANIFEST).exists() else None


def run(experiment: Experiment, found: FoundEndpoint | None, folder: Path) -> tuple[Comparison, PutBack]:
    """Run it; whatever ends it, the endpoint gets back what it had, and one message says what is kept."""
    from warmroute.arms import PutBack

    def put_back() -> PutBack:
        return PutBack(done=True, sentence="") if found is None else found.put_back(experiment.configurations)

    def ending() -> str:
        if found is not None and found.changed:
            typer.echo("The endpoint gets back what it had; Ctrl-C again does not wait for that.", err=True)
        return f"{_kept(experiment.finished, folder)} {put_back().sentence}".strip()

    try:
        comparison = experiment.run()
    except KeyboardInterrupt:
        raise StoppedError(ending()) from None
    except WarmrouteError as error:
        raise WarmrouteError(str(error), ending()) from None
    except BaseException:
        put_back()
        raise
    return comparison, put_back()


def _kept(finished: int, folder: Path) -> str:
    return f"{counted(finished, 'run')} done and kept; the same command with --output {folder} continues."


def servers_counts(_: Arm, served: Served) -> Observer:
    """What the servers count beside a run."""
    from warmroute.measure.telemetry import observer_of

    return observer_of(served.session, served.endpoint_name, served.variant, local_url=served.local_url)


def no_observer(_: Arm, __: Served) -> None:
    """Nothing, as --no-telemetry wants."""


def reported_in(comparison: Comparison, folder: Path) -> str:
    """Write the report; without the packages that draw it, its document alone."""
    from warmroute.measure.report import write_report

    try:
        return f"report: {write_report(folder, comparison).page}"
    except MissingExtraError as error:
        return f"no page of the report: {error} and: warmroute report {folder}"
