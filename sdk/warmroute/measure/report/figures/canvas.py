"""From a drawing of matplotlib's to SVG in a page: text as text, colours from the page, the same bytes each time."""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from warmroute.errors import MissingExtraError
from warmroute.measure.report.markup import Markup, tag, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

WIDE, NARROW = 720, 340
"""Widths in CSS pixels for which each figure is drawn: a page of a desktop, and a telephone of 390."""

INK, MUTED, LINE, CARD = "#a00001", "#a00002", "#a00003", "#a00004"
GOOD, BAD, COLD, SCALING = "#a00005", "#a00006", "#a00007", "#a00008"
ARMS: Final = ("#a00010", "#a00011", "#a00012", "#a00013", "#a00014", "#a00015")
"""What stands for a colour of the page while matplotlib draws: no figure has these for their own sake."""

_NAMES: Final = dict(
    zip(
        (INK, MUTED, LINE, CARD, GOOD, BAD, COLD, SCALING),
        ("ink", "muted", "line", "card", "good", "bad", "cold", "scaling"),
        strict=True,
    )
) | {colour: f"arm-{number}" for number, colour in enumerate(ARMS)}
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "warmroute",
    "text.parse_math": False,
    "text.color": INK,
    "font.family": ["DejaVu Sans"],
    "font.size": 12,
    "figure.dpi": 72,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 1.0,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LINE,
    "grid.linewidth": 1.0,
    "lines.solid_capstyle": "round",
    **{f"{axis}tick.{size}.size": 0 for axis in "xy" for size in ("major", "minor")},
    **{f"{axis}tick.color": LINE for axis in "xy"},
    **{f"{axis}tick.labelcolor": MUTED for axis in "xy"},
}


def colour_of(arm: int) -> str:
    """The colour of an arm by its place, the baseline's being 0."""
    return ARMS[0] if arm == 0 else ARMS[1 + (arm - 1) % (len(ARMS) - 1)]


def drawn(
    key: str, title: str, description: str, paint: Callable[[Figure], None], height: Callable[[int], int]
) -> Markup:
    """A figure in two widths, of which the page shows the one that fits.

    Args:
        key: Names it in the page.
        title: What it is, for those who do not see it.
        description: What it shows.
        paint: Draws into an empty figure, whose width tells which of the two it is.
        height: In CSS pixels, for a width.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    return tag(
        "div",
        *(
            tag("div", _svg(f"{key}-{name}", title, description, paint, (width, height(width))), class_=name)
            for name, width in (("wide", WIDE), ("narrow", NARROW))
        ),
        class_="drawing",
    )


def is_narrow(figure: Figure) -> bool:
    """Whether it is drawn for a telephone."""
    return bool(figure.get_figwidth() * 72 < (WIDE + NARROW) / 2)


def place(figure: Figure, *, left: float, right: float, top: float, bottom: float) -> tuple[float, float, float, float]:
    """A rectangle for axes, from its distances to the edges in CSS pixels."""
    width, height = figure.get_figwidth() * 72, figure.get_figheight() * 72
    return left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height


def _svg(key: str, title: str, description: str, paint: Callable[[Figure], None], size: tuple[int, int]) -> Markup:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("Drawing the report", "report") from None
    file = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # Names may have characters that the font lacks; the reader's browser has its own.
        with mpl.rc_context(mpl.rcParamsDefault | _STYLE):  # Whatever the machine's matplotlibrc says.
            figure = Figure(figsize=(size[0] / 72, size[1] / 72))
            FigureCanvasSVG(figure)
            paint(figure)
            figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    root = ET.fromstring(file.getvalue())  # noqa: S314 - matplotlib has just written it.
    return _for_the_page(root, key, title, description, size)


def _for_the_page(root: Any, key: str, title: str, description: str, size: tuple[int, int]) -> Markup:
    """An element of HTML: without namespaces, its ids unlike those of other figures, its colours the page's."""
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.tag.removeprefix(_SVG)
            if name in {"metadata", "style"} or (name in {"g", "defs"} and not len(child)):
                parent.remove(child)
    named = {element.get("id") for element in root.iter() if element.tag in {f"{_SVG}clipPath", f"{_SVG}path"}}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        for blank in ("text", "tail"):
            if not (getattr(element, blank) or "").strip():
                setattr(element, blank, None)
        attributes = {name.removeprefix(_XLINK): value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib |= {
            name: new for name, value in attributes.items() if (new := _attribute(name, value, key, named)) is not None
        }
    for number, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(name, {"id": f"{key}-{name}"})
        element.text = visible(text)
        root.insert(number, element)
    root.attrib.clear()
    root.attrib |= {"viewBox": f"0 0 {size[0]} {size[1]}", "width": str(size[0]), "role": "img"}
    root.attrib |= {"aria-labelledby": f"{key}-title {key}-desc"}
    return Markup(ET.tostring(root, encoding="unicode"))


_COLOUR = re.compile("|".join(_NAMES))


def _attribute(name: str, value: str, key: str, named: set[str | None]) -> str | None:
    """An attribute as the page needs it; None for one that it does not."""
    match name:
        case "id":
            return f"{key}-{value}" if value in named else None
        case "clip-path":
            return value.replace("url(#", f"url(#{key}-")
        case "href":
            return value.replace("#", f"#{key}-", 1)
        case "transform" if value.startswith("rotate(-0 "):
            return None
        case "style":
            return _COLOUR.sub(lambda match: f"var(--{_NAMES[match.group()]})", _FONT.sub(_size_only, value))
    return value


_FONT = re.compile(r"font: (?:[\w ]+ )?([\d.]+)px [^;]*|font-family: [^;]*")


def _size_only(match: re.Match[str]) -> str:
    return f"font-size: {match.group(1)}px" if match.group(1) else "font-family: inherit"
