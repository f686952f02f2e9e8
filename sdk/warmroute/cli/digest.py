"""``warmroute digest``: recorded traffic as a slim table without texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from warmroute.cli.traffic import InputFormatOption
from warmroute.wording import counted

SourcesArgument = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE", help="Files, folders, patterns or s3:// URIs; - reads standard input."),
]


def digest(  # noqa: PLR0913, PLR0917 - one parameter for each option.
    sources: SourcesArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write: a Parquet file.")],
    input_format: InputFormatOption = None,
    ladder: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="Prefix lengths to take keys at, instead of 16 up to 65,536.")
    ] = None,
    session_field: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Field of a captured call with its session: inferenceId or customAttributes."
        ),
    ] = "",
    sampling_percentage: Annotated[
        float | None, typer.Option(metavar="N", help="The InitialSamplingPercentage of the capture.")
    ] = None,
    rejects: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to list what is left out, with line and reason.")
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="duckdb, or spark for what outgrows a machine.")
    ] = "duckdb",
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory that DuckDB may use, such as 4GB; the rest is on disk.")
    ] = None,
) -> None:
    """Turn recorded traffic of any size into a small table of times, lengths and hashes, from which it can be tuned.

    No text of a prompt is in it.

    Example: warmroute digest s3://my-bucket/capture/support-bot/ -o traffic.parquet
    """
    from warmroute.traffic import Rejects
    from warmroute.traffic.digest.columns import LADDER
    from warmroute.traffic.digest.metadata import DigestMetadata, ladder_of
    from warmroute.traffic.digest.table import read_digest
    from warmroute.traffic.digest.traffic import digest_traffic
    from warmroute.traffic.sources.named import refuse_sources

    metadata = DigestMetadata(
        ladder=LADDER if ladder is None else ladder_of(ladder), sampling_percentage=sampling_percentage
    )
    for written_to in (output, rejects):
        if written_to is not None:
            refuse_sources(written_to, sources)
    with Rejects(rejects) as cases:
        digest_traffic(
            sources,
            output,
            metadata,
            input_format=input_format,
            session=session_field,
            rejects=cases,
            memory_limit=memory_limit,
            engine=engine,
        )
    typer.echo(f"Wrote {counted(len(read_digest(output)), 'request')} to {output}.", err=True)
    for line in cases.summary():
        typer.echo(line, err=True)
