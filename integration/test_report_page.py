"""The report of a comparison in a real browser."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from chromium import Chromium, Page, chromium
from measure.report.comparisons import comparison

from warmroute.measure.report import write_report

SIZES = (("desktop", 1100), ("phone", 390))
SCHEMES = (("light", False), ("dark", True))

CONTRAST = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgb = (colour, under) => {
    context.globalCompositeOperation = 'source-over';
    for (const layer of [under, colour]) { context.fillStyle = layer; context.fillRect(0, 0, 1, 1); }
    return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3));
  };
  const light = (parts) => {
    const [r, g, b] = parts.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(getComputedStyle(at).backgroundColor);
    let under = 'white';
    for (const layer of layers.reverse()) under = `rgb(${rgb(layer, under).join(' ')})`;
    return under;
  };
  const poor = [];
  const seen = (element) => element.getClientRects().length > 0;
  for (const element of document.querySelectorAll('body *')) {
    const own = Array.from(element.childNodes).some(node => node.nodeType === 3 && node.data.trim());
    if (!own || !seen(element) || ['STYLE', 'TITLE'].includes(element.tagName)) continue;
    const style = getComputedStyle(element), under = ground(element);
    const colour = element.ownerSVGElement ? style.fill : style.color;
    const a = light(rgb(colour, under)), b = light(rgb(under, under));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push([element.tagName, element.textContent.slice(0, 40), colour, under, ratio]);
  }
  return poor;
})()"""

FIGURES = """Array.from(document.querySelectorAll('figure')).map(figure => {
  const shown = Array.from(figure.querySelectorAll('svg')).filter(svg => svg.getClientRects().length);
  const box = shown[0] && shown[0].getBoundingClientRect();
  const marks = shown.flatMap(svg => Array.from(svg.querySelectorAll('path, use')));
  const visible = marks.filter(mark => {
    const style = getComputedStyle(mark), area = mark.getBoundingClientRect();
    return (style.fill !== 'none' || style.stroke !== 'none') && area.width + area.height > 0;
  });
  const texts = shown.flatMap(svg => Array.from(svg.querySelectorAll('text'))).map(t => t.getBoundingClientRect());
  return {
    id: figure.id, drawings: shown.length, width: box && box.width, height: box && box.height, marks: visible.length,
    outside: texts.filter(text => text.left < box.left - 1 || text.right > box.right + 1).length,
    smallest: Math.min(...texts.map(text => text.height)),
  };
})"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """Two candidates, with segments, failures, an invalid run, and names that nobody would choose."""
    folder = tmp_path_factory.mktemp("comparison")
    segments = (
        "chat",
        "<script>document.title = 'taken'</script>",
        "a-tenant-of-a-very-long-name" * 8,
        "\u202e\u05d0\u05d1",
    )
    options = {
        "random": {"segments": segments},
        "prefix": {"cached": 0.78, "segments": segments, "instances": 12},
        "lor": {"failing": 0.004, "segments": segments},
    }
    scales = {"random": 1.0, "prefix": 0.6, "lor": 1.0}
    made = comparison(folder, scales, options=options, invalid={("lor", 2)}, notes=("x" * 500,))
    return write_report(folder, made).page


@pytest.fixture
def page(browser: Chromium, report: Path) -> Page:
    page = browser.page()
    page.open(report.as_uri())
    return page


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size[0])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme[0])
def test_every_figure_is_drawn_and_readable(page, size, scheme):
    page.show(width=size[1], dark=scheme[1])

    figures = page.evaluate(FIGURES)

    assert len(figures) == 9
    for figure in figures:
        assert figure["drawings"] == 1, figure
        assert figure["width"] > 0.75 * size[1] or figure["width"] > 700, figure
        assert figure["height"] > 100, figure
        assert figure["marks"] > 8, figure
        assert figure["outside"] == 0, figure
        assert figure["smallest"] >= 9, figure
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", [1100, 768, 390, 320])
def test_the_page_never_scrolls_sideways(page, width):
    page.show(width=width)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")

    assert page.evaluate("innerWidth") == width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_asked_of_any_host_and_nothing_goes_wrong(page, report):
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")

    assert page.requests == [report.as_uri()]
    assert page.complaints == []
    assert page.evaluate("document.title") == "prefix, lor against random · warmroute"


def test_the_browser_itself_would_refuse_a_script_and_a_request(page):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        source = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        image = f"<img src='{source}' onerror='document.title = 1'>"
        page.evaluate(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(image)})")
        page.wait_until("document.images[0].complete")

        assert any("Content Security Policy" in complaint for complaint in page.complaints)
        assert page.evaluate("document.title") != "1"
        with pytest.raises(BlockingIOError):
            server.accept()


def test_colours_follow_the_scheme(page):
    grounds = set()
    for _, dark in SCHEMES:
        page.show(width=1100, dark=dark)
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.evaluate("getComputedStyle(document.querySelector('svg text')).fill") not in grounds
    assert len(grounds) == 2


def test_printed_it_is_on_white_with_the_tables_open(page):
    page.show(width=1100, dark=True, print_media=True)

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.call("Page.printToPDF")["data"]


def test_the_command_makes_the_same_page_in_a_process_of_its_own(report, warmroute, tmp_path):
    (tmp_path / "report.json").write_bytes(report.with_name("report.json").read_bytes())

    ran = warmroute("report", str(tmp_path))

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{tmp_path / 'report.html'}\n", "")
    assert (tmp_path / "report.html").read_bytes() == report.read_bytes()
