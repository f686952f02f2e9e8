"""What the commands that look at traffic have in common: the trace, the fleet, the rate."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.completing import input_formats, profiles
from warmroute.cli.documents import read_spec
from warmroute.errors import WarmrouteError
from warmroute.inference_api import Api

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.tune import Trace
    from warmroute.tune.fleets import Fleet

TraceArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TRACE",
        help="Recorded traffic: files, folders, patterns, s3:// URIs; or a table of warmroute digest.",
    ),
]
InputFormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Format of the traffic, where it is not recognised.", autocompletion=input_formats
    ),
]
CanonicalBodiesOption = Annotated[
    bool,
    typer.Option(
        "--canonical-bodies", help="Compare the bodies that warmroute's clients would send, not the recorded ones."
    ),
]
SpecOption = Annotated[str | None, typer.Option(metavar="FILE", help="A spec, for instances, copies and engine.")]
VariantOption = Annotated[str | None, typer.Option(metavar="NAME", help="Variant of the spec, where it has several.")]
InstancesOption = Annotated[int | None, typer.Option(metavar="N", help="Instances, instead of a spec.", min=1)]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        help="Engine: llama-3.1-70b-8xh100, or a profile file.",
        autocompletion=profiles,
    ),
]
TrafficApiOption = Annotated[
    Api | None, typer.Option("--api", help="API of the requests, where the trace does not tell it.")
]
RateOption = Annotated[
    float | None, typer.Option(metavar="N", help="Requests a second, instead of the trace's own or a derived rate.")
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="The same seed gives the same bytes.", min=0)]


@contextmanager
def opened(trace: list[str], input_format: str | None, *, canonical_bodies: bool) -> Iterator[Trace]:
    """The requests of a trace, digested on the fly unless they are a digest."""
    from warmroute.tune.source import RecordedTraffic, open_trace

    traffic = RecordedTraffic(
        paths=trace, input_format=input_format, bodies="canonical" if canonical_bodies else "recorded"
    )
    with open_trace(traffic) as found:
        yield found


def fleet(spec: str | None, variant: str | None, instances: int | None, profile: str | None) -> Fleet:
    """The fleet that the options describe.

    Raises:
        WarmrouteError: Both a spec and a number of instances, or neither.
    """
    from warmroute.fleet import FleetConfig
    from warmroute.tune.fleets import BUILT_IN_PROFILE, Fleet, engine_profile, fleet_of

    if (spec is None) == (instances is None):
        raise WarmrouteError(
            "The fleet is told by --spec or by --instances.", "Give one of the two, for example --instances 7."
        )
    if spec is not None:
        return fleet_of(read_spec(spec), variant=variant, profile=engine_profile(profile) if profile else None)
    return Fleet(FleetConfig(instances=instances or 1, profile=engine_profile(profile or BUILT_IN_PROFILE)))
