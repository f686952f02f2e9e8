"""``warmroute import``: the spec of an endpoint that exists."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from warmroute.cli.deploying import RegionOption, deployed_endpoint
from warmroute.cli.output import Format, FormatOption, print_json
from warmroute.errors import DocumentError


def import_(
    endpoint: Annotated[str, typer.Argument(metavar="ENDPOINT", help="Name of the endpoint.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it, instead of printing it.")
    ] = None,
    region: RegionOption = None,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Write the spec of an endpoint as it stands: models, variants, components, scaling, guardrails, tags.

    A plan on it has nothing to do. Where a spec cannot say something, that is told on standard error.

    Example: warmroute import support-bot --output endpoint.yaml
    """
    import yaml

    imported = deployed_endpoint(endpoint, region).to_spec()
    values = imported.spec.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)
    if output is not None:
        _write(output, text, is_private=bool(imported.secrets))
    elif format is Format.JSON:
        print_json(values)
    else:
        typer.echo(text, nl=False)
    if imported.secrets:
        typer.echo(f"The spec holds the values of {', '.join(imported.secrets)}: keep it to yourself.", err=True)
    for sentence in imported.left_out:
        typer.echo(f"Not in the spec, and left as it is by an apply: {sentence}.", err=True)
    for change in imported.differences:
        paths = ", ".join(field.path for field in change.fields) or change.action
        typer.echo(f"A spec cannot say this of {change.kind} {change.name}: {paths}.", err=True)


def _write(path: str, text: str, *, is_private: bool) -> None:
    def opened(file: str, flags: int) -> int:
        return os.open(file, flags, 0o600 if is_private else 0o666)

    try:
        with open(path, "x", encoding="utf-8", opener=opened) as stream:
            stream.write(text)
    except FileExistsError:
        raise DocumentError(f"{path}: the file exists.", "Give another name, or move it away.") from None
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}.", "Check the path and its permissions.") from None
