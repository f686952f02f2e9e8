"""The page of every check, from the checks."""

from __future__ import annotations

from generating.tables import table

from warmroute.hosting import all_checks

CHECKS = """# Checks

`warmroute validate` and every way to build a spec apply these checks across fields. An error makes the spec invalid; a
warning is shown, and can be [silenced](spec.md#silencing-a-warning) with a reason. Types, ranges and choices of single
fields come first and have the ids WR001 to WR007 (unknown, missing, wrong type, out of range, not a choice, malformed,
wrong size). `warmroute checks` prints this list. Not in it: [WR8xx](deploying.md#findings-of-the-pre-flight), which
only `warmroute plan` and `warmroute apply` find, and [WR220](observability.md#experiment), of a routing experiment.

"""


def checks_page() -> str:
    """The page of every check."""
    rows = [(each.id, each.severity, each.reason, each.source) for each in all_checks()]
    return CHECKS + table(("id", "severity", "why", "source"), rows)
