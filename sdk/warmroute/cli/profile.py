"""``warmroute profile``: what traffic looks like to prefix-aware routing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from warmroute.cli.output import Format, FormatOption, print_json
from warmroute.cli.traffic import (
    CanonicalBodiesOption,
    InputFormatOption,
    RateOption,
    SeedOption,
    TraceArgument,
    opened,
)


def profile(
    trace: TraceArgument,
    instances: Annotated[int, typer.Option(metavar="N", help="Instances that hit rates are told for.", min=1)] = 7,
    rate: RateOption = None,
    input_format: InputFormatOption = None,
    canonical_bodies: CanonicalBodiesOption = False,
    seed: SeedOption = 0,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Describe traffic: where shared context ends, how prefixes are reused, what a length makes of them.

    Example: warmroute profile s3://my-bucket/capture/support-bot/
    """
    from warmroute.fleet import EngineProfile
    from warmroute.tune import profile as profile_trace
    from warmroute.tune import workload
    from warmroute.tune.report import profile_lines

    engine = EngineProfile()
    with opened(trace, input_format, canonical_bodies=canonical_bodies) as found:
        work = workload(found.observed, instances=instances, profile=engine, requests_per_second=rate, seed=seed)
        described = profile_trace(found, work, instances=instances, engine=engine)
    if format is Format.JSON:
        print_json(asdict(described))
    else:
        typer.echo("\n".join(profile_lines(described)))
