"""``warmroute explain``: why two requests do not share their beginning."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from warmroute.cli.output import Format, FormatOption, print_json
from warmroute.cli.requests import ApiOption, PrefixLengthOption, read_request

if TYPE_CHECKING:
    from warmroute.prefix import Divergence


def explain(
    a: Annotated[str, typer.Argument(metavar="A", help="A JSON request body.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The request that should share its beginning.")],
    prefix_length: PrefixLengthOption = 4096,
    api: ApiOption = "invoke",
    show_text: Annotated[bool, typer.Option("--show-text", help="Show the text around the difference.")] = False,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Say where two requests part, why, what it costs and what to do. Exit code 1 if it costs shared prefix.

    Give the bodies as they go over the wire; `warmroute canonical` prints what our clients send. Text is shown by its
    form, letters as x and digits as 0, unless --show-text is given. Places are those of the body.

    Example: warmroute explain turn-1.json turn-2.json
    """
    from warmroute.prefix import explain as explain_requests

    found = explain_requests(
        read_request(a), read_request(b), api=api, prefix_length=prefix_length, redact=not show_text
    )
    if format is Format.JSON:
        print_json({**asdict(found), "affected": found.affected, "is_harmless": found.is_harmless})
    else:
        _print(found)
    raise typer.Exit(0 if found.is_harmless else 1)


def _print(found: Divergence) -> None:
    typer.echo(f"affected: {_words(found.affected)}")
    for name, parting in (("as sent", found.as_sent), ("in canonical form", found.canonical)):
        if parting is None:
            typer.echo(f"{name}: the same")
            continue
        where = f"{parting.path or 'the request'}, byte {parting.byte_offset:,}, character {parting.character_offset:,}"
        typer.echo(f"{name}: {_words(parting.cause)} at {where}")
        typer.echo(f"  A: {parting.a}\n  B: {parting.b}{'  (--show-text tells them apart)' * (parting.a == parting.b)}")
        if not found.is_harmless:
            typer.echo(f"  remedy: {parting.remedy}")
    if found.as_sent is None and not found.is_harmless:
        typer.echo(f"remedy: {found.remedy}")
    if found.is_harmless:
        typer.echo("Nothing to do: no shared prefix is lost.")


def _words(name: str) -> str:
    return name.replace("_", " ")
