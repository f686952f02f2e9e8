"""``warmroute tune``: a prefix length and a threshold from traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.output import Format, FormatOption, is_terminal, print_json
from warmroute.cli.traffic import (
    CanonicalBodiesOption,
    InputFormatOption,
    InstancesOption,
    ProfileOption,
    RateOption,
    SeedOption,
    SpecOption,
    TraceArgument,
    TrafficApiOption,
    VariantOption,
    fleet,
    opened,
)
from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from warmroute.tune import TuningResult

SloOption = Annotated[
    float | None,
    typer.Option("--slo-ttft-p90", metavar="MS", help="P90 of the time to first token that is wanted, milliseconds."),
]
BudgetOption = Annotated[
    int, typer.Option(metavar="N", help="Requests to simulate in all, about; a longer trace is cut.", min=1_000)
]
WriteOption = Annotated[bool, typer.Option("--write", help="Put the two values into the spec; needs --spec.")]


def tune(  # noqa: PLR0913, PLR0917 - one parameter for each option.
    trace: TraceArgument,
    spec: SpecOption = None,
    variant: VariantOption = None,
    instances: InstancesOption = None,
    profile: ProfileOption = None,
    api: TrafficApiOption = None,
    slo_ttft_p90: SloOption = None,
    rate: RateOption = None,
    input_format: InputFormatOption = None,
    canonical_bodies: CanonicalBodiesOption = False,
    budget: BudgetOption = 500_000,
    write: WriteOption = False,
    seed: SeedOption = 0,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Find prefix_length and concurrency_threshold for recorded traffic, and say what to expect of them.

    Half of the trace chooses, in simulation; the other half confirms. Exit code 0, also where nothing is gained.

    Example: warmroute tune s3://my-bucket/capture/support-bot/ --spec endpoint.yaml --write
    """
    from warmroute.traffic.sources.named import refuse_sources
    from warmroute.tune import tune as tune_trace
    from warmroute.tune.report import tuning_lines

    if write and spec in {None, "-"}:
        raise WarmrouteError("--write needs a spec file to write to.", "Give one with --spec.")
    if write and spec is not None:
        refuse_sources(spec, trace)
    chosen = fleet(spec, variant, instances, profile)
    with opened(trace, input_format, canonical_bodies=canonical_bodies) as found:
        result = tune_trace(
            found._replace(cautions=(*chosen.notes, *found.cautions)),
            chosen.config,
            api=api,
            requests_per_second=rate,
            slo_ttft_p90_seconds=None if slo_ttft_p90 is None else slo_ttft_p90 / 1_000,
            budget=budget,
            seed=seed,
            on_step=lambda step: typer.echo(f"- {step}", err=True) if is_terminal() else None,
        )
    if format is Format.JSON:
        print_json(result.as_dict())
    else:
        typer.echo("\n".join(tuning_lines(result)))
    if write and spec is not None and chosen.variant is not None:
        _write(spec, chosen.variant, result)


def _write(path: str, variant: int, result: TuningResult) -> None:
    from warmroute.tune.writing import write_routing

    if result.verdict != "gains":
        raise WarmrouteError(
            f"{path}: nothing was written, since the verdict is: {result.verdict}.",
            f"Leave the spec as it is, or use {result.recommendation.routing_strategy}.",
        )
    write_routing(
        path,
        variant=variant,
        prefix_length=result.recommendation.prefix_length,
        concurrency_threshold=result.recommendation.concurrency_threshold,
    )
    typer.echo(f"Wrote {path}. Next: warmroute plan {path}", err=True)
