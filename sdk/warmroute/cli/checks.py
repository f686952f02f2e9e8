"""``warmroute checks``: every check across fields."""

from __future__ import annotations

import typer

from warmroute.cli.output import Format, FormatOption, print_json


def checks(format: FormatOption = Format.TEXT) -> None:  # noqa: A002
    """List every check: its id, what it says and where it comes from.

    Example: warmroute checks
    """
    import warmroute.hosting  # noqa: F401 - brings the checks.
    from warmroute.rules import RULES

    rows = [RULES[id_] for id_ in sorted(RULES)]
    if format is Format.JSON:
        print_json(
            [{"id": row.id, "severity": row.severity, "reason": row.reason, "source": row.source} for row in rows]
        )
        return
    for row in rows:
        typer.echo(f"{row.id}  {row.severity:<7}  {row.reason}")
