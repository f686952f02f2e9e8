"""``warmroute sample``: captured traffic to try the other commands on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from warmroute.wording import counted


def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the folder of the captured endpoint is made.")],
    requests: Annotated[int, typer.Option(metavar="N", help="Requests, 1 to 1,000,000; about 18 KB each.")] = 2_000,
    seed: Annotated[int, typer.Option(metavar="N", help="The same one gives the same bytes.")] = 7,
    hours: Annotated[float, typer.Option(metavar="N", help="Time in which conversations begin.")] = 1.0,
) -> None:
    """Generate a folder as SageMaker's Data Capture writes it: a support assistant with many tenants.

    Example: warmroute sample captures
    """
    from warmroute.traffic.sample import write_sample

    made = write_sample(folder, requests=requests, seed=seed, hours=hours)
    typer.echo(f"Wrote {made.path}: {counted(made.requests, 'request')} in {counted(made.files, 'file')}.")
    typer.echo(f"Broken on purpose, as in real captures: {made.broken_lines:,} more.")
    typer.echo(f"Next: warmroute tune {shlex.quote(str(made.path))} --instances 7")
