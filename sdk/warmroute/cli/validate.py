"""``warmroute validate``: check a spec."""

from __future__ import annotations

from typing import Annotated

import typer

from warmroute.cli.documents import read_spec
from warmroute.cli.output import Format, FormatOption, SpecArgument, print_findings, print_json
from warmroute.wording import counted


def validate(
    spec: SpecArgument,
    format: FormatOption = Format.TEXT,  # noqa: A002
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings too.")] = False,
) -> None:
    """Check a spec, or the JSON that describe-endpoint-config returns.

    Exit code 0: valid; warnings are shown. 1: errors (or, with --strict, warnings).

    Example: warmroute validate endpoint.yaml
    """
    from warmroute.errors import InvalidSettingsError, Severity
    from warmroute.hosting import check

    try:
        findings = check(read_spec(spec))
    except InvalidSettingsError as error:
        findings = list(error.findings)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if format is Format.JSON:
        print_json({"valid": not errors, "findings": [finding.as_dict() for finding in findings]})
    else:
        print_findings(findings, spec)
        verdict = "invalid" if errors else "valid"
        warnings = len(findings) - len(errors)
        counts = [counted(len(errors), "error")] if errors else []
        counts += [counted(warnings, "warning")] if warnings else []
        typer.echo(f"{spec}: {', '.join([verdict, *counts])}")
    raise typer.Exit(1 if errors or (strict and findings) else 0)
