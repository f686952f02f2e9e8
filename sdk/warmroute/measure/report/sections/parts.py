"""What sections are built of: headings, figures with the table behind each, numbers as text."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from warmroute.measure.report.figures.canvas import drawn
from warmroute.measure.report.figures.scales import duration
from warmroute.measure.report.markup import Markup, join, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.figure import Figure

Cell = str | Markup


def section(key: str, title: Cell, *content: Markup | None) -> Markup:
    """A part of the page with its heading."""
    return tag("section", tag("h2", title, id=f"{key}-heading"), *content, id=key, aria_labelledby=f"{key}-heading")


def figure(
    key: str,
    title: str,
    caption: Cell,
    paint: Callable[[Figure], None],
    height: Callable[[int], int],
    behind: Markup,
) -> Markup:
    """A figure, what it shows, and the table behind it.

    Args:
        key: Names it in the page.
        title: For those who do not see it.
        caption: What its marks mean.
        paint: Draws it.
        height: In CSS pixels, for a width.
        behind: The table with its numbers.
    """
    description = "The numbers are in the table below."
    return tag(
        "figure",
        drawn(key, title, description, paint, height),
        tag("figcaption", caption),
        tag("details", tag("summary", "The numbers behind this figure"), behind),
        id=key,
    )


def table(label: str, head: Sequence[Cell], rows: Iterable[Sequence[Cell]], *, text_columns: int = 1) -> Markup:
    """A table that scrolls by itself where it is wider than the page.

    Args:
        label: What it holds, for those who do not see it.
        head: Of its columns.
        rows: The first cell of each heads it.
        text_columns: Columns from the left that hold text; the others hold numbers.
    """

    def kind(place: int) -> str | None:
        return None if place < text_columns else "number"

    lines = [
        tag(
            "tr",
            *(
                tag("td" if place else "th", cell, class_=kind(place), scope=None if place else "row")
                for place, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    heads = tag("tr", *(tag("th", cell, scope="col", class_=kind(place)) for place, cell in enumerate(head)))
    body = tag("table", tag("caption", label), tag("thead", heads), tag("tbody", *lines))
    return tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=label)


def paragraph(*content: Cell | None) -> Markup:
    """A paragraph."""
    return tag("p", *content)


def listed(items: Iterable[Cell], class_: str | None = None) -> Markup:
    """A list."""
    return tag("ul", *(tag("li", item) for item in items), class_=class_)


def metric_value(metric: str, value: float) -> str:
    """A figure of a run in its own unit."""
    if isnan(value):
        return "not available"
    if metric.startswith(("ttft", "e2e", "inter_token")):
        return duration(value)
    if not isfinite(value):
        return "infinite"
    if metric.endswith("share"):
        return percent(value)
    return f"{value:,.0f} /s" if value >= 100 else f"{value:,.1f} /s"


def percent(share: float) -> str:
    """A share."""
    return "not available" if isnan(share) else f"{100 * share:.2f} %" if 0 < share < 0.01 else f"{100 * share:.1f} %"


def names(items: Sequence[Markup]) -> Markup:
    """Names one after the other: "a, b and c"."""
    parts: list[Cell] = []
    for number, item in enumerate(items):
        if number:
            parts.append(" and " if number == len(items) - 1 else ", ")
        parts.append(item)
    return join(*parts)
