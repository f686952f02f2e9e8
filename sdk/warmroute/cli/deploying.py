"""What the commands share that change an endpoint: their options, their progress, their question."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.bar import new_bar
from warmroute.cli.documents import read_spec
from warmroute.cli.output import can_redraw, is_terminal
from warmroute.cli.stopping import StoppedError
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.deploy import DeployedEndpoint, Progress

PollOption = Annotated[
    float, typer.Option(help="Longest time between two looks at the endpoint, in seconds.", min=0.05, max=3600)
]
RegionOption = Annotated[str | None, typer.Option(help="AWS region, instead of the spec's or boto3's.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
EndpointArgument = Annotated[
    str, typer.Argument(metavar="NAME|SPEC", help="Name of the endpoint, or a spec file that names it.")
]


def deployed_endpoint(name_or_spec: str, region: str | None, *, poll_seconds: float = 10.0) -> DeployedEndpoint:
    """The endpoint of a name, or the one that a spec names.

    Args:
        name_or_spec: A file, one that ends like a spec, or ``-`` is a spec; anything else is a name.
        region: AWS region, instead of the spec's.
        poll_seconds: Longest time between two looks.

    Raises:
        DocumentError: The spec cannot be read.
        DeploymentError: No region is known.
    """
    from warmroute.deploy import DeployedEndpoint

    is_spec = name_or_spec == "-" or name_or_spec.endswith((".yaml", ".yml", ".json")) or Path(name_or_spec).is_file()
    if not is_spec:
        return DeployedEndpoint(name_or_spec, region=region, poll_seconds=poll_seconds)
    spec = read_spec(name_or_spec)
    return DeployedEndpoint(spec.name, region=region or spec.region, poll_seconds=poll_seconds)


def can_ask() -> bool:
    """Whether a person can be asked."""
    return is_terminal() and sys.stdin is not None and sys.stdin.isatty()


@contextmanager
def shown() -> Iterator[Callable[[Progress], None]]:
    """Shows progress: a bar for the instances on a terminal, plain lines elsewhere.

    Raises:
        StoppedError: Ctrl-C ended it.
    """
    progress = _progress_bar() if can_redraw() else nullcontext(_Lines())
    with can_be_stopped(), progress as show:
        yield show


@contextmanager
def can_be_stopped() -> Iterator[None]:
    """Says what goes on where Ctrl-C ends a command that changes something.

    Raises:
        StoppedError: Ctrl-C ended it.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError("What SageMaker has begun goes on; give the same command again to follow it.") from None


class _Lines:
    """Plain lines: one a step, and one for each change of what is waited for."""

    def __init__(self, write: Callable[[str], None] = typer.echo) -> None:
        self._write = write
        self._last = ""

    def __call__(self, step: Progress) -> None:
        line = _line(step)
        if line != self._last:
            self._write(line)
        self._last = line


def _line(step: Progress) -> str:
    line = f"{step.kind} {step.name}: {step.status or step.action}"
    if step.wanted_instances:
        line += f", {step.ready_instances} of {counted(step.wanted_instances, 'instance')}"
    return line + _shift(step)


def _shift(step: Progress) -> str:
    """What a second fleet has, and what SageMaker does to the traffic."""
    text = ""
    for variant in step.variants:
        if variant.new_wanted_instances is not None and step.status == "Updating":
            text += f"; {variant.name}: {variant.new_ready_instances} of {variant.new_wanted_instances} new"
        if variant.stage:
            text += f", {variant.stage}" if text else f"; {variant.name}: {variant.stage}"
    return text


@contextmanager
def _progress_bar() -> Iterator[Callable[[Progress], None]]:
    bar = new_bar(stays=True)
    try:
        task = None
        lines = _Lines(bar.console.print)

        def show(step: Progress) -> None:
            nonlocal task
            bar.start()  # Only now, since what is said before the first step is not the bar's to print.
            new = [each for each in step.variants if each.new_wanted_instances]
            ready = sum(each.new_ready_instances or 0 for each in new) if new else step.ready_instances
            total = sum(each.new_wanted_instances or 0 for each in new) if new else step.wanted_instances
            if not total:
                lines(step)
                return
            if task is None:
                task = bar.add_task("", total=total)
            text = f"{step.name}: {step.status}{_shift(step)}"
            bar.update(task, description=text, completed=ready, total=total)

        yield show
    finally:
        bar.stop()
