"""``warmroute replay``: a trace sent to an endpoint at its own times."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.bar import new_bar
from warmroute.cli.output import Format, FormatOption, can_redraw, print_json
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
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warmroute.inference_api import Api
    from warmroute.measure.replay import Progress, Quantiles, Replayed, Target


def replay(  # noqa: PLR0913, PLR0917 - each is an option.
    trace: SentTraceArgument,
    api: ApiOption = "invoke",
    endpoint: Annotated[str | None, typer.Option(metavar="NAME", help="The SageMaker endpoint.")] = None,
    region: RegionOption = None,
    variant: Annotated[str | None, typer.Option(metavar="NAME", help="TargetVariant; native only.")] = None,
    component: ComponentOption = None,
    endpoint_url: EndpointUrlOption = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Another server of chat completions, up to /v1; openai only.")
    ] = None,
    api_key_variable: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable with its API key, if it needs one.")
    ] = "OPENAI_API_KEY",
    input_format: InputFormatOption = None,
    model: ModelOption = None,
    rate: SendingRateOption = None,
    sessions: SessionsOption = 1,
    speed: SpeedOption = 1.0,
    duration: DurationOption = None,
    requests: RequestsOption = None,
    seed: Annotated[int, typer.Option(help="Of --rate, and of times within a coarse tick.")] = 0,
    connections: ConnectionsOption = 1_024,
    bodies: BodiesOption = "recorded",
    output_tokens: OutputTokensOption = 128,
    own_length: Annotated[
        bool, typer.Option("--own-length", help="Let answers end by themselves: no ignore_eos.")
    ] = False,
    own_temperature: Annotated[
        bool, typer.Option("--own-temperature", help="Keep recorded temperatures instead of 0.")
    ] = False,
    no_cache_salt: Annotated[
        bool, typer.Option("--no-cache-salt", help="Send no cache_salt: the run may find another's cache.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the run is recorded; by default replay-<time>.")
    ] = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Send a trace to an endpoint, open loop, and record what each request met. Exit code 1 if the run is not valid.

    Each request goes out at its planned time, whatever became of those before it; times count from then.

    Example: warmroute replay trace.jsonl --endpoint support-bot --region us-east-1 --speed 2 --duration 600
    """
    from warmroute.measure.replay import ReplayRun, Sending, prepare

    load = load_of(rate, sessions, speed, duration, requests, seed)
    sending = Sending(
        bodies=bodies,
        model=model,
        fixed_length=not own_length,
        default_output_tokens=output_tokens,
        temperature=None if own_temperature else 0.0,
        cache_salt=not no_cache_salt,
    )
    where = _target(api, endpoint, region, variant, component, endpoint_url, base_url, api_key_variable)
    schedule, about = prepare(trace, load, sending, chat_only=where.chat_only, input_format=input_format)
    folder = output or Path(f"replay-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    quiet = format is Format.JSON
    if not quiet:
        typer.echo(
            f"{counted(schedule.requests, 'request')} over {schedule.last_planned_seconds:,.1f} s to {where.name}"
        )
        for note in about["notes"]:
            typer.echo(f"note: {note}")
    with _progress(schedule.requests, quiet=quiet) as show:
        run = ReplayRun(
            schedule,
            where,
            folder,
            connections=connections,
            cache_salt=sending.cache_salt,
            about=about,
            on_progress=show,
        )
        try:
            replayed = run.run()
        except KeyboardInterrupt:
            if run.result is None:
                raise
            raise StoppedError(
                f"{run.result.summary.sent:,} of {schedule.requests:,} requests were sent; {run.result.requests} has "
                "a row for each, and run.json says that the run is not complete."
            ) from None
    if quiet:
        print_json({**asdict(replayed.summary), "requests": str(replayed.requests), "valid": _is_valid(replayed)})
    else:
        _print(replayed)
    raise typer.Exit(0 if _is_valid(replayed) else 1)


def _is_valid(replayed: Replayed) -> bool:
    return not replayed.summary.problems


def _target(
    api: Api,
    endpoint: str | None,
    region: str | None,
    variant: str | None,
    component: str | None,
    endpoint_url: str | None,
    base_url: str | None,
    api_key_variable: str,
) -> Target:
    from warmroute.measure.replay import NativeTarget, OpenAITarget, SageMakerOpenAITarget

    if base_url is not None:
        if api != "openai" or endpoint or component or endpoint_url or variant:
            raise WarmrouteError(
                "--base-url names the whole target.", "Give it with --api openai, and no endpoint beside it."
            )
        return OpenAITarget(base_url, os.environ.get(api_key_variable, ""))
    if endpoint is None:
        raise WarmrouteError("No target is named.", "Give --endpoint, or --api openai and --base-url.")
    session = aws_session(region)
    if api == "invoke":
        return NativeTarget(
            session,
            endpoint,
            target_variant=variant,
            inference_component=component,
            endpoint_url=endpoint_url,
        )
    if variant is not None:
        raise WarmrouteError("The OpenAI-compatible API takes no target variant.", "Use --api invoke.")
    return SageMakerOpenAITarget(session, endpoint, inference_component=component, endpoint_url=endpoint_url)


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A line on a terminal, brought up to date twice a second; nothing elsewhere."""
    if quiet or not can_redraw():
        yield None
        return
    with new_bar(redraws_itself=False) as bar:
        task = bar.add_task("", total=total)

        def show(progress: Progress) -> None:
            words = (
                f"TTFT P50 {_milliseconds(progress.ttft_p50_seconds)} P90 {_milliseconds(progress.ttft_p90_seconds)}, "
                f"{progress.in_flight} in flight, {progress.failed} failed"
            )
            bar.update(task, completed=progress.ended, description=words, refresh=True)

        yield show


def _print(replayed: Replayed) -> None:
    summary = replayed.summary
    typer.echo(f"{summary.answered:,} answered, {summary.planned - summary.answered:,} not")
    for error, count in summary.errors.items():
        typer.echo(f"  {count:,} {error}")
    for name, times in (
        ("time to first token", summary.ttft),
        ("end to end", summary.e2e),
        ("send lag", summary.send_lag),
        ("  of it, waiting for a connection", summary.connection_wait),
    ):
        typer.echo(f"{name:<34}{_quantiles(times)}")
    typer.echo(f"rows: {replayed.requests}")
    for problem in summary.problems:
        typer.echo(f"not valid: {problem}")


def _quantiles(times: Quantiles) -> str:
    return "  ".join(f"{name} {_milliseconds(value):>10}" for name, value in asdict(times).items())


def _milliseconds(seconds: float) -> str:
    return "-" if seconds != seconds else f"{seconds * 1e3:,.1f} ms"  # noqa: PLR0124 - NaN.
