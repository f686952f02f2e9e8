"""How commands print: rich on a terminal, plain lines elsewhere, JSON when asked."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TextIO

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
        colour = "red" if finding.severity == "error" else "yellow"
        label = painted(f"{finding.severity} {finding.id}", colour, stream)
        lead = f"{name}: " if name else ""
        typer.echo(f"{lead}{label}: {finding}", err=to_stderr)


def painted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """A text in bold and a colour, where the stream is a terminal that has colours and the user wants them.

    Args:
        text: The text.
        colour: Name of the colour.
        stream: Where it is printed; by default standard output.
    """
    stream = stream or sys.stdout
    if stream is None or not stream.isatty() or "NO_COLOR" in os.environ or _is_dumb():
        return text
    return typer.style(text, fg=colour, bold=True)


def is_terminal() -> bool:
    """Whether a person watches standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


def can_redraw() -> bool:
    """Whether standard output is a terminal on which a line can be brought up to date."""
    return is_terminal() and not _is_dumb()


def _is_dumb() -> bool:
    return os.environ.get("TERM") == "dumb"
