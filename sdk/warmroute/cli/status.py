"""``warmroute status``: how an endpoint stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from warmroute.cli.deploying import EndpointArgument, RegionOption, deployed_endpoint
from warmroute.cli.output import Format, FormatOption, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy import Status


def status(
    endpoint: EndpointArgument,
    region: RegionOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Show what an endpoint runs, how much of it, and which earlier configurations it can go back to.

    Example: warmroute status support-bot
    """
    found = deployed_endpoint(endpoint, region).status()
    if format is Format.JSON:
        print_json(found.as_dict())
        return
    for line in _lines(found):
        typer.echo(line)


def _lines(found: Status) -> Iterator[str]:
    owner = "" if found.is_owned else ", not made by warmroute"
    yield f"{found.endpoint} in {found.region}: {found.status}{owner}"
    if found.failure_reason:
        yield f"  {found.failure_reason}"
    pending = f", on its way to {found.pending_config}" if found.pending_config else ""
    yield f"  configuration {found.endpoint_config}{pending}"
    for variant in found.variants:
        yield (
            f"  variant {variant.name}: {variant.current_instances} of {variant.desired_instances} "
            f"{variant.instance_type or 'serverless'}, weight {variant.weight:g}, {variant.routing_strategy}"
        )
    for component in found.components:
        copies = f"adapter of {component.base}" if component.base else ""
        copies = copies or f"{component.current_copies} of {component.desired_copies} copies"
        yield f"  component {component.name}: {component.status}, {copies}"
    for scaling in found.scaling:
        policies = f", {', '.join(scaling.policies)}" if scaling.policies else ""
        suspended = f", suspended: {', '.join(scaling.suspended)}" if scaling.suspended else ""
        yield f"  scaling {scaling.resource_id}: {scaling.min_capacity} to {scaling.max_capacity}{policies}{suspended}"
    for each in found.configurations:
        when = f"served {each.served:%Y-%m-%d %H:%M} UTC" if each.served else "never seen to serve"
        running = ", runs now" if each.name == found.endpoint_config else ""
        yield f"  kept {each.name}: {when}{running}"
    yield f"  log {found.log_url}"
