"""Numbers, tables and paragraphs of a report."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WIDTH = 110


def percent(part: float) -> str:
    """A part of 1, in percent."""
    return f"{100 * part:.1f} %"


def milliseconds(seconds: float) -> str:
    """A time, in milliseconds or, when long, seconds."""
    return f"{seconds * 1_000:,.0f} ms" if seconds < 10 else f"{seconds:,.1f} s"


def wrapped(text: str, *, lead: str = "") -> list[str]:
    """A paragraph as lines.

    Args:
        text: The paragraph.
        lead: What comes before its first line; the others are indented as far.
    """
    return textwrap.wrap(text, _WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns under their names: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        first, *rest = row
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        yield "  " + "  ".join(cells).rstrip()
