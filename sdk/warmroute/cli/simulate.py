"""``warmroute simulate``: what traffic meets under one routing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from warmroute.cli.output import Format, FormatOption, print_json
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
from warmroute.routing_strategy import RoutingStrategy

StrategyOption = Annotated[
    RoutingStrategy | None,
    typer.Option("--routing-strategy", metavar="NAME", help="Instead of the spec's; RANDOM without either."),
]
LengthOption = Annotated[
    int | None, typer.Option(metavar="N", help="PrefixLength of PREFIX_AWARE, instead of the spec's.")
]
ThresholdOption = Annotated[
    int | None, typer.Option(metavar="N", help="ConcurrencyThreshold of PREFIX_AWARE, instead of the spec's.")
]


def simulate(  # noqa: PLR0913, PLR0917 - one parameter for each option.
    trace: TraceArgument,
    spec: SpecOption = None,
    variant: VariantOption = None,
    instances: InstancesOption = None,
    profile: ProfileOption = None,
    routing_strategy: StrategyOption = None,
    prefix_length: LengthOption = None,
    concurrency_threshold: ThresholdOption = None,
    api: TrafficApiOption = None,
    rate: RateOption = None,
    input_format: InputFormatOption = None,
    canonical_bodies: CanonicalBodiesOption = False,
    seed: SeedOption = 0,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Serve recorded traffic with one routing in virtual time, and print what its requests meet.

    Example: warmroute simulate capture.jsonl --instances 7 --prefix-length 8192 --concurrency-threshold 32
    """
    from warmroute.tune import simulate_trace
    from warmroute.tune.fleets import routing_of
    from warmroute.tune.report import simulation_lines

    chosen = fleet(spec, variant, instances, profile)
    routing = routing_of(chosen.config.routing, routing_strategy, prefix_length, concurrency_threshold)
    with opened(trace, input_format, canonical_bodies=canonical_bodies) as found:
        result = simulate_trace(
            found._replace(cautions=(*chosen.notes, *found.cautions)),
            chosen.config,
            routing,
            api=api,
            requests_per_second=rate,
            seed=seed,
        )
    if format is Format.JSON:
        print_json(asdict(result))
    else:
        typer.echo("\n".join(simulation_lines(result)))
