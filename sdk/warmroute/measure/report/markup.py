"""HTML in which text cannot become markup."""

from __future__ import annotations

import re
from html import escape
from typing import Final


class Markup(str):
    """Text that is HTML already, because ``tag`` or this package made it."""

    __slots__ = ()


Child = str | None
_WITHOUT_END: Final = frozenset({"meta", "link", "br"})
_UNIT, _NO_BREAK = re.compile(r"(?<=\d) (?=%|ms\b|µs\b|s\b|points\b)"), "\N{NO-BREAK SPACE}"
# Controls, and characters that reorder or hide the text around them.
_UNSEEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def tag(name: str, /, *children: Child, **attributes: str | None) -> Markup:
    """An element.

    Args:
        name: Of the element.
        children: Text, which is escaped, or markup; None for nothing.
        attributes: ``class_`` for ``class``, ``aria_label`` for ``aria-label``; None for one that is not there.
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _WITHOUT_END:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """Text, which is escaped, and markup, one after the other."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else _UNIT.sub(_NO_BREAK, escape(visible(child)))
            for child in children
            if child is not None
        )
    )


def name(text: str) -> Markup:
    """A name from outside, which cannot change the direction of the text around it."""
    return tag("bdi", text)


def visible(text: str) -> str:
    """Text with a mark for each character that nobody would see."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def shortened(text: str, most: int = 28) -> str:
    """A name for a figure: its begin and its end, where it is long."""
    shown = visible(text)
    return shown if len(shown) <= most else f"{shown[: most // 2]}…{shown[len(shown) - most // 2 + 1 :]}"
