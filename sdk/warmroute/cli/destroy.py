"""``warmroute destroy``: an endpoint's end."""

from __future__ import annotations

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
from warmroute.errors import DeploymentError
from warmroute.wording import counted


def destroy(
    endpoint: EndpointArgument,
    poll: PollOption = 10.0,
    yes: YesOption = False,
    region: RegionOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Delete an endpoint and everything that was made for it, and nothing of anybody else's.

    Asks first; in a script, give --yes.

    Example: warmroute destroy support-bot --yes
    """
    deployed = deployed_endpoint(endpoint, region, poll_seconds=poll)
    if not yes:
        if not can_ask() or format is Format.JSON:
            raise DeploymentError(f"Endpoint {deployed.name} is not deleted without a question.", "Give --yes.")
        typer.confirm(f"Delete endpoint {deployed.name} in {deployed.region} and all that was made for it?", abort=True)
    if format is Format.JSON:
        with can_be_stopped():
            removed = deployed.destroy()
        print_json({"endpoint": deployed.name, "region": deployed.region, "removed": removed})
        return
    with shown() as show:
        removed = deployed.destroy(on_progress=show)
    what = f"{counted(len(removed), 'resource')} deleted" if removed else "nothing is left"
    typer.echo(f"{deployed.name}: {what} in {deployed.region}")
