"""``warmroute apply``: create or update an endpoint."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption, SpecArgument, is_terminal, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.deploy import Progress


def apply(
    spec: SpecArgument,
    wait: Annotated[
        bool, typer.Option(help="Wait until the endpoint serves; components and scaling are put in place only then.")
    ] = True,
    poll: Annotated[
        float, typer.Option(help="Longest time between two looks at the endpoint, in seconds.", min=0.05, max=3600)
    ] = 10.0,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Create or update the endpoint of a spec, and wait until it serves.

    Credentials are boto3's, and so is the region where the spec names none. AWS_ENDPOINT_URL reaches the local
    endpoint instead of AWS.

    Example: warmroute apply endpoint.yaml
    """
    from warmroute.deploy import Deployment

    deployment = Deployment(read_spec(spec), poll_seconds=poll)
    if format is Format.JSON:
        print_json(asdict(deployment.apply(wait=wait)))
        return
    with _shown() as show:
        outcome = deployment.apply(on_progress=show, wait=wait)
    typer.echo(f"{outcome.endpoint}: {outcome.result}, configuration {outcome.endpoint_config}, {outcome.region}")
    for name, result in outcome.components.items():
        typer.echo(f"{name}: {result}")
    if outcome.left_over:
        typer.echo(f"Not in the spec, and left alone: {', '.join(outcome.left_over)}.")
    if outcome.left_out:
        typer.echo(f"Not looked at without waiting: {', '.join(outcome.left_out)}. Apply again to put them in place.")


def _shown() -> AbstractContextManager[Callable[[Progress], None]]:
    return _progress_bar() if is_terminal() else nullcontext(_Lines())


class _Lines:
    """Plain lines: one a step, and one for each change of a status that is waited for."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, step: Progress) -> None:
        line = f"{step.kind} {step.name}: {step.status or step.action}"
        if step.wanted_instances:
            line += f", {step.ready_instances} of {step.wanted_instances} instances"
        if line != self._last:
            typer.echo(line)
        self._last = line


@contextmanager
def _progress_bar() -> Iterator[Callable[[Progress], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns) as bar:
        task = None

        def show(step: Progress) -> None:
            nonlocal task
            if not step.wanted_instances:
                bar.console.print(f"{step.kind} [bold]{step.name}[/bold]: {step.status or step.action}")
                return
            if task is None:
                task = bar.add_task("", total=step.wanted_instances)
            text = f"{step.name}: {step.status}"
            bar.update(task, description=text, completed=step.ready_instances, total=step.wanted_instances)

        yield show
