"""``warmroute convert``: recorded traffic in a format that another tool replays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from warmroute.cli.completing import input_formats, written_formats
from warmroute.wording import counted


def convert(  # noqa: PLR0913, PLR0917 - one parameter an option.
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="Files, folders, patterns or s3:// URIs; - reads standard input."),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="FORMAT", help="Format to write; any other word lists them.", autocompletion=written_formats
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; .gz, .zst; - is standard output.")
    ],
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format of the sources, where their content does not tell.",
            autocompletion=input_formats,
        ),
    ] = None,
    rejects: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to list what is left out, with line and reason.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="N", help="Draw arrivals at N requests a second, whatever is recorded.")
    ] = None,
    output_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens of each answer whose length nothing tells.")
    ] = None,
    time_step: Annotated[float, typer.Option(metavar="SECONDS", help="Round times down to multiples of it.")] = 0.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write recorded traffic in another format: to replay it elsewhere, or anonymised, to share it.

    Example: warmroute convert s3://captures/support-assistant --to anonymised -o trace.jsonl.gz
    """
    import math

    from warmroute.errors import WarmrouteError
    from warmroute.traffic import Rejects, arrivals, poisson_arrivals, read_traffic
    from warmroute.traffic.sources.named import refuse_sources
    from warmroute.traffic.writers import write_traffic

    for written_to in (output, rejects):
        if written_to is not None:
            refuse_sources(written_to, sources)
    if rejects is not None and rejects.resolve() == Path(output).resolve():
        raise WarmrouteError(f"{rejects}: --output and --rejects name the same file.", "Name two.")
    with Rejects(rejects) as cases:
        requests = read_traffic(sources, format=input_format, rejects=cases)
        if rate is not None:
            requests = arrivals(requests, poisson_arrivals(rate, math.inf))
        written = write_traffic(
            requests,
            output,
            format=to,
            overwrite=force,
            rejects=cases,
            output_tokens=output_tokens,
            time_step_seconds=time_step,
        )
    for line in (f"Wrote {counted(written.requests, 'request')} to {output}.", *cases.summary(), *written.notes()):
        typer.echo(line, err=True)
