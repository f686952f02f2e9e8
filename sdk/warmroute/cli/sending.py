"""What the commands that send a trace have in common: where to, when, and what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from warmroute.errors import DocumentError, InvalidSettingsError, WarmrouteError
from warmroute.inference_api import Api

if TYPE_CHECKING:
    from warmroute.measure.replay import Load


SentTraceArgument = Annotated[
    list[str], typer.Argument(metavar="TRACE", help="Recorded traffic: files, folders, patterns, s3:// URIs.")
]
ApiOption = Annotated[
    Api,
    typer.Option(help="invoke is InvokeEndpoint with its response stream, openai chat completions in OpenAI's form."),
]
RegionOption = Annotated[str | None, typer.Option(help="Region of the endpoint.")]
ComponentOption = Annotated[str | None, typer.Option(metavar="NAME", help="Inference component.")]
EndpointUrlOption = Annotated[
    str | None, typer.Option(metavar="URL", help="Root of the runtime API: that of `warmroute local`, for example.")
]
ModelOption = Annotated[str | None, typer.Option(help="Model to ask for, instead of the recorded one.")]
SendingRateOption = Annotated[
    float | None, typer.Option("--rate", metavar="N", help="Requests a second, instead of the trace's times.")
]
SessionsOption = Annotated[int, typer.Option(metavar="N", help="Sessions side by side under --rate.", min=1)]
SpeedOption = Annotated[float, typer.Option(metavar="N", help="How many times faster than recorded.")]
DurationOption = Annotated[float | None, typer.Option(metavar="SECONDS", help="Send no longer than this in a run.")]
RequestsOption = Annotated[int | None, typer.Option(metavar="N", help="Send the first so many.", min=1)]
ConnectionsOption = Annotated[int, typer.Option(metavar="N", help="Connections at most.", min=1, max=65_535)]
BodiesOption = Annotated[
    Literal["recorded", "canonical"], typer.Option(help="Recorded bodies as written, or canonical.")
]
OutputTokensOption = Annotated[
    int, typer.Option(metavar="N", help="Output tokens of a request whose trace does not tell.", min=1)
]


def load_of(
    rate: float | None, sessions: int, speed: float, duration: float | None, requests: int | None, seed: int
) -> Load:
    """When requests are sent, as the options say.

    Raises:
        WarmrouteError: A value is out of range.
    """
    from warmroute.measure.replay import Load

    options = {"concurrent_sessions": "sessions", "duration_seconds": "duration"}
    try:
        return Load(
            rate=rate,
            concurrent_sessions=sessions,
            speed=speed,
            duration_seconds=duration,
            requests=requests,
            seed=seed,
        )
    except InvalidSettingsError as error:
        named = [
            replace(each, path=f"--{options.get(each.path, each.path)}" if each.path else "") for each in error.findings
        ]
        raise WarmrouteError("\n".join(map(str, named))) from None


def aws_session(region: str | None) -> Any:
    """boto3's session of the environment.

    Args:
        region: AWS region, instead of its own.

    Raises:
        DocumentError: The environment's settings are wrong.
    """
    from boto3.session import Session
    from botocore.exceptions import BotoCoreError

    try:
        return Session(region_name=region)
    except BotoCoreError as error:
        raise DocumentError(f"AWS settings: {error}.", "Check AWS_PROFILE and the files of AWS's settings.") from None
