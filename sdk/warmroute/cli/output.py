"""How commands print: rich on a terminal, plain lines elsewhere, JSON when asked."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.errors import Finding


class Format(StrEnum):
    """What a command prints."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="What to print: text for people, json for programs.")]
SpecArgument = Annotated[str, typer.Argument(metavar="SPEC", help="A spec file, YAML or JSON; - reads standard input.")]


def print_json(value: Any) -> None:
    """Print a value as JSON, indented, in a stable order of keys."""
    import orjson

    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def print_findings(findings: Iterable[Finding], name: str, *, to_stderr: bool = False) -> None:
    """Print findings, one a line, led by the file, the severity and the id."""
    stream = sys.stderr if to_stderr else sys.stdout
    for finding in findings:
        label = f"{finding.severity} {finding.id}"
        if stream is not None and stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb":
            label = typer.style(label, fg="red" if finding.severity == "error" else "yellow", bold=True)
        lead = f"{name}: " if name else ""
        typer.echo(f"{lead}{label}: {finding}", err=to_stderr)


def is_terminal() -> bool:
    """Whether a person watches standard output."""
    return sys.stdout is not None and sys.stdout.isatty()
