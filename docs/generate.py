"""Writes the pages that are made from the code: ``python docs/generate.py``."""

from __future__ import annotations

from pathlib import Path

from generating.api import api_pages
from generating.checks import checks_page
from generating.commands import commands_page
from generating.fields import fields_page

DOCS = Path(__file__).parent


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    return {
        "reference/checks.md": checks_page(),
        "reference/cli.md": commands_page(),
        "reference/fields.md": fields_page(),
        **{f"reference/api/{name}": text for name, text in api_pages().items()},
    }


if __name__ == "__main__":
    for path, text in pages().items():
        (DOCS / path).parent.mkdir(exist_ok=True)
        (DOCS / path).write_text(text, encoding="utf-8")
