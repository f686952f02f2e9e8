"""``warmroute lint``: what scatters the prefixes of recorded requests."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from warmroute.cli.output import print_json
from warmroute.cli.requests import ApiOption, PrefixLengthOption, read_requests


class LintFormat(StrEnum):
    """What the command prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


LintFormatOption = Annotated[LintFormat, typer.Option("--format", help="text, json, or sarif for code scanning.")]


def lint(
    trace: Annotated[
        str, typer.Argument(metavar="TRACE", help="A request, or one on each line; - reads standard input.")
    ],
    prefix_length: PrefixLengthOption = 4096,
    api: ApiOption = "invoke",
    format: LintFormatOption = LintFormat.TEXT,  # noqa: A002
) -> None:
    """Look for what scatters the prefixes of requests. Exit code 1 on findings.

    Example: warmroute lint requests.jsonl --prefix-length 4096 --format sarif > findings.sarif
    """
    from warmroute.cli.sarif import sarif_log
    from warmroute.prefix import lint as lint_requests

    findings = list(lint_requests(read_requests(trace), api=api, prefix_length=prefix_length))
    match format:
        case LintFormat.JSON:
            print_json([asdict(finding) for finding in findings])
        case LintFormat.SARIF:
            print_json(sarif_log(findings, trace))
        case LintFormat.TEXT:
            for finding in findings:
                place = f"{finding.path}: " if finding.path else ""
                typer.echo(f"{trace}:{finding.line}: {finding.id}: {place}{finding.message} {finding.remedy}")
    raise typer.Exit(1 if findings else 0)
