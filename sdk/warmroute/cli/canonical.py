"""``warmroute canonical``: a request as every client should send it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from warmroute.cli.requests import RequestArgument, read_request


def canonical(
    request: RequestArgument,
    tools: Annotated[
        Literal["before_messages", "after_messages"],
        typer.Option(help="Whether tools come before the messages (stickiness) or after them (spread)."),
    ] = "before_messages",
) -> None:
    """Print a request in canonical form: the same bytes however it was written down.

    Example: warmroute canonical request.json | head -c 4096
    """
    from warmroute.prefix import FieldOrder, canonical_json

    typer.echo(canonical_json(read_request(request), order=FieldOrder(tools=tools)), nl=False)
