"""``warmroute local``: an endpoint on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.completing import engine_kinds
from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption
from warmroute.local.options import DEFAULT_PORT

if TYPE_CHECKING:
    from collections.abc import Callable


def local(  # noqa: PLR0913, PLR0917 - a parameter for each option.
    spec: Annotated[
        str | None, typer.Argument(metavar="SPEC", help="A spec to serve at once; without one, an empty account.")
    ] = None,
    port: Annotated[
        int, typer.Option(help="Port on the loopback address; 0 takes a free one.", min=0, max=65535)
    ] = DEFAULT_PORT,
    speed: Annotated[
        float,
        typer.Option(help="How many times faster than real engines and deployments it runs.", min=0.01, max=10_000),
    ] = 1.0,
    deployment_seconds: Annotated[
        float, typer.Option(help="Seconds that creating or updating an endpoint takes.", min=0, max=86_400)
    ] = 1.0,
    engine: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="simulated; url: servers that run already; or vllm, started here.",
            autocompletion=engine_kinds,
        ),
    ] = "simulated",
    engine_url: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="A server for --engine url; once for each instance.")
    ] = None,
    vllm_python: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Python of the environment that has vLLM; by default that of .venv-vllm."),
    ] = None,
    vllm_arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="An argument of vLLM in place of the spec's; NAME=false leaves it out."
        ),
    ] = None,
    model_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A model's folder, for vLLM to run instead of the spec's model.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the account in a directory, and serve it again from there.")
    ] = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Serve SageMaker's API on this machine: control plane and data plane on one URL.

    In another shell, AWS_ENDPOINT_URL=http://localhost:8333 takes programs to it.

    Example: warmroute local endpoint.yaml
    """
    from warmroute.local import EngineSettings, engine_kind, serve

    document = None if spec is None else read_spec(spec)
    engines = EngineSettings(
        engine_kind(engine), tuple(engine_url or ()), vllm_python, tuple(vllm_arg or ()), model_dir
    )
    serve(
        document,
        port=port,
        speed=speed,
        deployment_seconds=deployment_seconds,
        engines=engines,
        state=state,
        on_ready=_announce(format),
        on_engine=lambda said: typer.echo(said, err=True),
    )


def _announce(format: Format) -> Callable[[str], None]:  # noqa: A002
    from warmroute.local import METRICS_PATH, PAGE_PATH, STATE_PATH

    def announce(url: str) -> None:
        if format is Format.JSON:
            pages = {"page": url + PAGE_PATH, "state": url + STATE_PATH, "metrics": url + METRICS_PATH}
            typer.echo(json.dumps({"url": url, **pages}))
        else:
            typer.echo(f"Serving on {url}; stop with Ctrl-C. Watch it on {url}{PAGE_PATH}")
            typer.echo("For boto3, the AWS CLI and warmroute apply:")
            typer.echo(
                f"export AWS_ENDPOINT_URL={url} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local "
                "AWS_DEFAULT_REGION=us-east-1"
            )

    return announce
