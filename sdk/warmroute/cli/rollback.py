"""``warmroute rollback``: back to an earlier configuration."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from warmroute.cli.deploying import (
    EndpointArgument,
    PollOption,
    RegionOption,
    YesOption,
    can_ask,
    can_be_stopped,
    deployed_endpoint,
    shown,
)
from warmroute.cli.output import Format, FormatOption, print_json


def rollback(
    endpoint: EndpointArgument,
    to: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="A kept configuration; see `warmroute status`.")
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until the endpoint serves, and verify it.")] = True,
    poll: PollOption = 10.0,
    yes: YesOption = False,
    region: RegionOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Take an endpoint back to the configuration that served before.

    Counts, weights, guardrails, components and scaling stay as they are. On a terminal a question is asked first.

    Example: warmroute rollback support-bot
    """
    deployed = deployed_endpoint(endpoint, region, poll_seconds=poll)
    if can_ask() and not yes and format is Format.TEXT:
        typer.confirm(
            f"Roll {deployed.name} in {deployed.region} back to {to or 'the configuration that served before'}?",
            abort=True,
        )
    if format is Format.JSON:
        with can_be_stopped():
            outcome = deployed.rollback(to=to, wait=wait)
        print_json(asdict(outcome))
        return
    with shown() as show:
        outcome = deployed.rollback(to=to, wait=wait, on_progress=show)
    typer.echo(f"{outcome.endpoint}: {outcome.result}, configuration {outcome.endpoint_config}, {outcome.region}")
