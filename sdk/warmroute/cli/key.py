"""``warmroute key``: the routing key of a request."""

from __future__ import annotations

from typing import Annotated

import typer

from warmroute.cli.output import Format, FormatOption, print_json
from warmroute.cli.requests import ApiOption, PrefixLengthOption, RequestArgument, read_request


def key(
    request: RequestArgument,
    prefix_length: PrefixLengthOption = 4096,
    api: ApiOption = "invoke",
    prefix_aware_id: Annotated[str, typer.Option(help="PrefixAwareId or prompt_cache_key of the request.")] = "",
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Print the routing key of a request: requests of equal keys go to the same instance.

    Example: warmroute key request.json --prefix-length 4096
    """
    import orjson

    from warmroute.prefix import canonical_json, routing_key

    body = read_request(request)
    canonical = canonical_json(body)  # Refuses, with its place, what is no JSON.
    if api == "invoke":
        found = routing_key(body, api="invoke", prefix_length=prefix_length, prefix_aware_id=prefix_aware_id)
    else:
        values = orjson.loads(canonical)
        found = routing_key(values, api="openai", prefix_length=prefix_length, prefix_aware_id=prefix_aware_id)
    if format is Format.JSON:
        print_json({"digest": found.digest.hex(), "window": found.window, "length": found.length, "fills": found.fills})
        return
    unit = "bytes" if api == "invoke" else "characters"
    typer.echo(f"{found.digest.hex()}  {found.window:,} of {found.length:,} {unit}")
    if not found.fills:
        typer.echo(f"Shorter than the window of {prefix_length:,} {unit}: whatever is appended gives it a new key.")
