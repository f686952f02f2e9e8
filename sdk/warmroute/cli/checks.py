"""``warmroute checks``: every check of a spec, across its fields."""

from __future__ import annotations

import typer

from warmroute.cli.output import Format, FormatOption, print_json


def checks(format: FormatOption = Format.TEXT) -> None:  # noqa: A002
    """List every check of a spec across fields: its id, what it says and where it comes from.

    What only a change shows has its list in the documentation: WR8xx of plan and apply, WR220 of an experiment.

    Example: warmroute checks
    """
    from warmroute.hosting import all_checks

    rows = all_checks()
    if format is Format.JSON:
        print_json(
            [{"id": row.id, "severity": row.severity, "reason": row.reason, "source": row.source} for row in rows]
        )
        return
    for row in rows:
        typer.echo(f"{row.id}  {row.severity:<7}  {row.reason}")
    typer.echo("WR001 to WR007 are errors of single fields: their type, range, choice or form.")
    typer.echo("WR220 is an error of a routing experiment, WR801 to WR899 are findings of plan and apply.")
