"""Findings in SARIF 2.1.0, which code-scanning services read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from warmroute.prefix import LINT_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.prefix import LintFinding


def sarif_log(findings: Sequence[LintFinding], file: str) -> dict[str, Any]:
    """A SARIF log of one run.

    Args:
        findings: What was found.
        file: The file that it was found in.
    """
    rules = [{"id": id_, "shortDescription": {"text": text}} for id_, text in LINT_RULES.items()]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "warmroute", "rules": rules}},
                "results": [_result(finding, file) for finding in findings],
            }
        ],
    }


def _result(finding: LintFinding, file: str) -> dict[str, Any]:
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(file), "region": {"startLine": finding.line}}
    }
    if finding.path:
        place["logicalLocations"] = [{"fullyQualifiedName": finding.path}]
    return {
        "ruleId": finding.id,
        "level": finding.severity.value,
        "message": {"text": f"{finding.message} {finding.remedy}".strip()},
        "locations": [place],
    }


def _artifact(file: str) -> dict[str, str]:
    """Where a file is: from the working folder, which viewers take for that of the sources, if it is in there."""
    if file == "-":
        return {"uri": "stdin"}
    path = Path(os.path.abspath(file))  # noqa: PTH100  # Path.resolve would follow links out of the working folder.
    if path.is_relative_to(Path.cwd()):
        return {"uri": quote(os.fsencode(path.relative_to(Path.cwd()).as_posix())), "uriBaseId": "%SRCROOT%"}
    return {"uri": "file://" + quote(os.fsencode(path.as_posix()))}
