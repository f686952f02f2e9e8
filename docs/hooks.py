"""Fills the table of checks from the checks themselves, so that the page cannot be out of date."""

from __future__ import annotations

from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the placeholder of the checks by their table."""
    return markdown.replace("{{ checks }}", _checks()) if "{{ checks }}" in markdown else markdown


def _checks() -> str:
    import warmroute.hosting  # noqa: F401 - brings the checks.
    from warmroute.rules import RULES

    rows = ["| id | severity | why | source |", "|---|---|---|---|"]
    for id_ in sorted(RULES):
        each = RULES[id_]
        rows.append(f"| {id_} | {each.severity} | {each.reason} | {each.source} |")
    return "\n".join(rows)
