"""``warmroute compare``: from a trace and two arms to a verdict."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warmroute.cli.compare_progress import runs_shown
from warmroute.cli.compare_run import begun, no_observer, reported_in, run, servers_counts
from warmroute.cli.compare_text import print_comparison, print_plan
from warmroute.cli.completing import engine_kinds
from warmroute.cli.output import Format, FormatOption, print_json
from warmroute.cli.sending import (
    ApiOption,
    BodiesOption,
    ComponentOption,
    ConnectionsOption,
    DurationOption,
    EndpointUrlOption,
    ModelOption,
    OutputTokensOption,
    RegionOption,
    RequestsOption,
    SendingRateOption,
    SentTraceArgument,
    SessionsOption,
    SpeedOption,
    aws_session,
    load_of,
)
from warmroute.cli.stopping import StoppedError
from warmroute.cli.traffic import InputFormatOption
from warmroute.errors import WarmrouteError
from warmroute.measure.metrics import Metric
from warmroute.measure.segmenting import SegmentBy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warmroute.arms import ArmName

_ARM = "NAME=SPEC.yaml, served on this machine; NAME=endpoint/ENDPOINT, also with /VARIANT, on AWS. Once for each."
_WARM_UP = "Beginning of every run that is reported apart, as cold; by default a tenth of the run."
_PARTS = "Parts of a trace longer than a run that pairs send in turn, at most; 1 for the same in all pairs."
_SIMULTANEOUS = "Send both runs of a pair at the same time, to variants or endpoints with instances of their own."
_SETTLE = "From a change of the instances until a run counts as steady again; until then it is reported apart."
_LAG = "P99 of the send lag above which a run is invalid; by default 0.05, and 5 % of the P50 TTFT."
_NO_TELEMETRY = "Don't ask the servers what they count: CloudWatch tells it up to five minutes after a run."
_SWITCHBACK = "Apply the specs of the arms to their one endpoint on SageMaker, before each run."


def compare(  # noqa: PLR0913, PLR0917 - each is an option.
    trace: SentTraceArgument,
    arm: Annotated[list[str], typer.Option(metavar="NAME=WHAT", help=_ARM)],
    baseline: Annotated[str | None, typer.Option(metavar="NAME", help="The arm in use; by default the first.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where all is recorded, or was begun; by default comparison-<time>."),
    ] = None,
    primary: Annotated[Metric, typer.Option(help="The figure that decides.")] = Metric.TTFT_P90,
    minimum_effect: Annotated[float, typer.Option(metavar="PART", help="Smallest gain worth a change.")] = 0.05,
    gain: Annotated[
        float, typer.Option(metavar="PART", help="Gain to be found with a chance of 80 %; decides how many pairs.")
    ] = 0.15,
    looks: Annotated[int, typer.Option(metavar="N", help="Times that results will be looked at.", min=1)] = 1,
    pairs: Annotated[
        int | None, typer.Option(metavar="N", help="Pairs, instead of as many as the noise demands.", min=1)
    ] = None,
    most_pairs: Annotated[int, typer.Option(metavar="N", help="At most so many, whatever the noise.", min=1)] = 20,
    aa_pairs: Annotated[int, typer.Option(metavar="N", help="Pairs of the baseline alone, for the noise.", min=0)] = 3,
    replacements: Annotated[
        int, typer.Option(metavar="N", help="Pairs with an invalid run that are run again.", min=0)
    ] = 3,
    seed: Annotated[int, typer.Option(help="Of the order of the arms, and of drawn times.")] = 0,
    warm_up: Annotated[float | None, typer.Option(metavar="SECONDS", help=_WARM_UP, min=0)] = None,
    parts: Annotated[int, typer.Option(metavar="N", help=_PARTS, min=1)] = 20,
    settle: Annotated[float, typer.Option(metavar="SECONDS", help=_SETTLE, min=0)] = 60.0,
    segment_by: Annotated[SegmentBy, typer.Option(help="What makes a segment.")] = SegmentBy.PREFIX_AWARE_ID,
    api: ApiOption = "invoke",
    region: RegionOption = None,
    component: ComponentOption = None,
    endpoint_url: EndpointUrlOption = None,
    cross_over: Annotated[
        bool, typer.Option("--cross-over", help="Let two variants change their routing after half of the pairs.")
    ] = False,
    switchback: Annotated[bool, typer.Option("--switchback", help=_SWITCHBACK)] = False,
    simultaneous: Annotated[bool, typer.Option("--simultaneous", help=_SIMULTANEOUS)] = False,
    adopt: Annotated[bool, typer.Option("--adopt", help="Change an endpoint that warmroute did not make.")] = False,
    poll: Annotated[
        float, typer.Option(help="Longest time between two looks at an update.", min=0.05, max=3600)
    ] = 10.0,
    speed_factor: Annotated[
        float, typer.Option(metavar="N", help="How many times faster than real ones simulated engines run.")
    ] = 1.0,
    engine: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="As for warmroute local.",
            autocompletion=engine_kinds,
        ),
    ] = "simulated",
    vllm_python: Annotated[Path | None, typer.Option(metavar="FILE", help="As for warmroute local.")] = None,
    vllm_arg: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="As for warmroute local.")] = None,
    model_dir: Annotated[Path | None, typer.Option(metavar="DIR", help="As for warmroute local.")] = None,
    input_format: InputFormatOption = None,
    model: ModelOption = None,
    rate: SendingRateOption = None,
    sessions: SessionsOption = 1,
    speed: SpeedOption = 1.0,
    duration: DurationOption = None,
    requests: RequestsOption = None,
    connections: ConnectionsOption = 1_024,
    largest_lag: Annotated[float | None, typer.Option(metavar="SECONDS", help=_LAG, min=0)] = None,
    bodies: BodiesOption = "recorded",
    output_tokens: OutputTokensOption = 128,
    no_telemetry: Annotated[bool, typer.Option("--no-telemetry", help=_NO_TELEMETRY)] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and stop.")] = False,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Compare two or more arms on one trace, several runs each, and say whether a change pays off.

    The baseline runs against itself first (A/A); from that noise follows the number of pairs. The same command with
    the same --output continues what was stopped. Exit code 0 with any verdict, 1 where so many runs failed that pairs
    are lacking.

    Example: warmroute compare trace.jsonl --arm random=random.yaml --arm prefix=prefix.yaml --output comparison
    """
    from warmroute.arms import ArmOptions, arms_of, check_names, is_on_sagemaker, named
    from warmroute.arms.expecting import Expecting
    from warmroute.local import EngineSettings, engine_kind
    from warmroute.measure.criteria import Criteria
    from warmroute.measure.experiment import (
        Design,
        Experiment,
        Hooks,
        Setup,
        TraceSchedules,
        manifest,
        over_network,
        plan,
    )
    from warmroute.measure.experiment.folder import read_json
    from warmroute.measure.replay import Sending
    from warmroute.measure.report.write import DOCUMENT

    with _usage():
        names = _baseline_first([named(text) for text in arm], baseline)
        criteria = Criteria(primary=primary, minimum_effect=minimum_effect, verdicts=looks * (len(names) - 1))
    options = ArmOptions(
        session=lambda: aws_session(region),
        api=api,
        component=component,
        runtime_url=endpoint_url,
        speed_factor=speed_factor,
        engines=EngineSettings(engine_kind(engine), (), vllm_python, tuple(vllm_arg or ()), model_dir),
        switchback=switchback,
        cross_over=cross_over,
        adopt=adopt,
        poll_seconds=poll,
    )
    with _usage():
        check_names(names, options)
    load = load_of(rate, sessions, speed, duration, requests, seed)
    sending = Sending(bodies=bodies, model=model, default_output_tokens=output_tokens)
    schedules = TraceSchedules(trace, load, sending, segment_by=segment_by, format=input_format, most_parts=parts)
    folder = output or Path(f"comparison-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    arms, found = arms_of(names, options, begun=begun(folder))
    about = schedules.about(chat_only=arms[0].chat_only)
    with _usage():
        design = Design(
            aa_pairs=aa_pairs,
            pairs=pairs,
            most_pairs=most_pairs,
            gain=gain,
            replacements=replacements,
            warm_up_seconds=about["seconds"] / 10 if warm_up is None else warm_up,
            settle_seconds=settle,
            seed=seed,
            swaps_machines=cross_over,
            simultaneous=simultaneous,
        )
        machines = {arm.name: arm.machines for arm in arms}
        fewest = min(part["requests"] for part in about["parts"])
        design.check(criteria, run_seconds=about["seconds"], requests=fewest, machines=machines)
    notes = (*schedules.notes, *design.shortfalls(criteria, fewest))
    ahead = plan(arms, design, criteria, about["seconds"])
    if dry_run or format is Format.TEXT:
        late = not no_telemetry and is_on_sagemaker(names, options)
        print_plan(ahead, arms, about, notes, format, waits_for_cloudwatch=late)
    if dry_run:
        return
    client: dict[str, Any] = {"connections": connections, "largest_lag_seconds": largest_lag}
    sent = {"load": load.model_dump(), "sending": sending.model_dump(), "segment_by": str(segment_by)}
    wanted = manifest(arms, arms[0].name, design, criteria, trace=about, options={**sent, **client}, looks=looks)
    with runs_shown(quiet=format is Format.JSON) as (on_turn, on_run, on_progress):
        setup = Setup(
            arms=arms,
            design=design,
            criteria=criteria,
            schedules=schedules,
            replay=over_network(**client, on_progress=on_progress),
            hooks=Hooks(
                on_turn=on_turn,
                on_run=on_run,
                observe=no_observer if no_telemetry else servers_counts,
                expect=Expecting(design.seed),
            ),
        )
        comparison, put_back = run(Experiment(folder, setup, wanted, notes=notes), found, folder)
    if format is Format.TEXT:
        print_comparison(comparison, folder)
    try:
        reported = reported_in(comparison, folder)
    except KeyboardInterrupt:
        raise StoppedError(f"Every run is done; the same command with --output {folder} makes the report.") from None
    if format is Format.JSON:
        print_json({"folder": str(folder), **read_json(folder / DOCUMENT)})
    typer.echo(reported, err=format is Format.JSON)
    if put_back.sentence:
        typer.echo(put_back.sentence, err=True)
    raise typer.Exit(1 if comparison.has_failed or not put_back.done else 0)


def _baseline_first(names: Sequence[ArmName], baseline: str | None) -> list[ArmName]:
    from warmroute.measure.experiment.results import refuse_odd_names

    known = [each.name for each in names]
    refuse_odd_names(known)
    if baseline is not None and baseline not in known:
        raise WarmrouteError(f"--baseline {baseline}: there is no such arm.", f"Arms: {', '.join(known)}.")
    return sorted(names, key=lambda each: each.name != (baseline or known[0]))


@contextmanager
def _usage() -> Iterator[None]:
    """A mistake in what the command was given, with the exit code of such."""
    try:
        yield
    except WarmrouteError as error:
        raise typer.BadParameter(str(error)) from None
