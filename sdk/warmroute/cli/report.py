"""``warmroute report``: the page of a comparison, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Of a comparison, with its report.json.")],
) -> None:
    """Make the report of a comparison anew: report.html, from report.json.

    Example: warmroute report compare-support-bot/
    """
    from warmroute.measure.report import render_report

    typer.echo(render_report(folder))
