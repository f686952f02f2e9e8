"""``warmroute doctor``: what is wrong with the environment, and how to mend it."""

from __future__ import annotations

from typing import Annotated

import typer

from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption, painted, print_json
from warmroute.wording import counted


def doctor(
    spec: Annotated[
        str | None, typer.Argument(metavar="SPEC", help="A spec, for what its models need; - reads standard input.")
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Ask AWS who the credentials are and what they may look at.")
    ] = False,
    format: FormatOption = Format.TEXT,  # noqa: A002
) -> None:
    """Look at Python, packages, boto3, AWS settings, ports, Node.js, vLLM and the clock, and say what to mend.

    Nothing is changed, no secret is shown, and without --online nobody on the network is asked. Exit code 1 where
    something cannot work; warnings leave it 0.

    Example: warmroute doctor
    """
    from warmroute.doctor import Status, diagnose

    document = None if spec is None else read_spec(spec)
    found = []
    for each in diagnose(spec=document, online=online):
        found.append(each)
        if format is Format.TEXT:
            label = painted(f"{each.status:<8}", _COLOURS[each.status])
            typer.echo(label + str(each).removeprefix(f"{each.status:<8}"))
    problems = sum(each.status is Status.PROBLEM for each in found)
    warnings = sum(each.status is Status.WARNING for each in found)
    if format is Format.JSON:
        print_json({"healthy": not problems, "diagnoses": [each.as_dict() for each in found]})
    else:
        typer.echo(f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}")
    raise typer.Exit(1 if problems else 0)


_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}
