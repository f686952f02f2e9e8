"""The live page of the local endpoint in a real browser, while traffic flows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from chromium import Chromium, Page, chromium

from warmroute.local import METRICS_PATH, PAGE_PATH, STATE_PATH, RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 100
SPEC = """
name: support-bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
model: {image: {framework: vllm}, source: {hugging_face: some/model}}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 3
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 4096, concurrency_threshold: 2}
"""
NONE = "\N{EN DASH}"
"""What the page shows for what there is none of."""

FIGURES = """JSON.stringify([...document.querySelectorAll("tbody tr")].map(row => [row.dataset.instance,
  ...["requests", "share", "hit_rate", "overflow_requests", "displaced_requests", "ttft_p50", "ttft_p90"].map(
    name => row.querySelector(`[data-figure="${name}"]`).textContent)]))"""


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLocally]:
    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(SPEC, encoding="utf-8")
    with running_locally(file, speed=20) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as started:
        yield started


def _page(browser: Chromium, local: RunningLocally, **size: Any) -> Page:
    page = browser.page(**size)
    page.open(f"{_root(local)}{PAGE_PATH}")
    page.wait_until("document.querySelectorAll('tbody tr').length === 3")
    return page


def _root(local: RunningLocally) -> str:
    return local.url.replace("localhost", "127.0.0.1")


def _send(local: RunningLocally, count: int, tokens: int = 8) -> None:
    runtime = local.session("us-east-1").client("sagemaker-runtime")

    def send(number: int) -> None:
        messages = [{"role": "system", "content": f"{number % 5} {LONG}"}, {"role": "user", "content": str(number)}]
        body = json.dumps({"messages": messages, "max_tokens": tokens, "stream": True})
        answer = runtime.invoke_endpoint_with_response_stream(EndpointName="support-bot", Body=body)
        assert list(answer["Body"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(count)))


def _state(local: RunningLocally) -> dict[str, Any]:
    with urlopen(f"{local.url}{STATE_PATH}", timeout=30) as answer:
        return json.load(answer)["endpoints"][0]["fleets"][0]


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{_rounded(100 * value, '0.1')} %"


def _rounded(value: float, to: str) -> Decimal:
    """As JavaScript's toFixed: a tie goes up."""
    return Decimal(value).quantize(Decimal(to), ROUND_HALF_UP)


def _seconds(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{int(1_000 * value + 0.5)} ms" if value < 1 else f"{_rounded(value, '0.01')} s"


def _expected(fleet: dict[str, Any]) -> list[list[str]]:
    return [
        [
            each["id"],
            f"{each['requests']:,}",
            _percent(each["share"]),
            _percent(each["hit_rate"]),
            f"{each['overflow_requests']:,}",
            f"{each['displaced_requests']:,}",
            _seconds(each["recent_ttft"]["p50_seconds"]),
            _seconds(each["recent_ttft"]["p90_seconds"]),
        ]
        for each in fleet["instances"]
    ]


def _tile(page: Page, name: str) -> str:
    return str(page.evaluate(f"document.querySelector('.tiles [data-figure={name}]').textContent"))


def test_figures_change_as_traffic_flows_and_are_those_of_the_state(browser: Chromium, local: RunningLocally) -> None:
    page = _page(browser, local)
    assert _tile(page, "requests") == "0"
    assert _tile(page, "hit_rate") == NONE

    _send(local, 40, tokens=200)
    state = _state(local)
    page.wait_until(f"document.querySelector('.tiles [data-figure=requests]').textContent === '{state['requests']:,}'")
    assert json.loads(page.evaluate(FIGURES)) == _expected(state)
    assert _tile(page, "hit_rate") == _percent(state["hit_rate"]) != NONE
    assert _tile(page, "overflow_share") == _percent(state["overflow_share"]) != "0.0 %"
    assert _tile(page, "ttft_p50") == _seconds(state["recent_ttft"]["p50_seconds"])
    assert _tile(page, "ttft_p90") == _seconds(state["recent_ttft"]["p90_seconds"])

    _send(local, 5)
    more = f"{state['requests'] + 5:,}"
    page.wait_until(f"document.querySelector('.tiles [data-figure=requests]').textContent === '{more}'")
    assert page.complaints == []
    assert {request for request in page.requests if not request.startswith("data:")} == {
        f"{_root(local)}{PAGE_PATH}",
        f"{_root(local)}{STATE_PATH}",
    }


def test_counting_from_now_and_pausing(browser: Chromium, local: RunningLocally) -> None:
    page = _page(browser, local)
    page.evaluate("document.getElementById('from-now').click()")
    assert _tile(page, "requests") == "0"
    _send(local, 3)
    page.wait_until("document.querySelector('.tiles [data-figure=requests]').textContent === '3'")
    shares = page.evaluate(
        "[...document.querySelectorAll('[data-figure=share]')].map(one => parseFloat(one.textContent))"
    )
    assert sum(shares) == pytest.approx(100, abs=0.2)

    page.evaluate("document.getElementById('pause').click()")
    asked = len(page.requests)
    page.browser.listen(2.5)
    assert page.evaluate("document.getElementById('connection').textContent") == "Paused"
    assert len(page.requests) <= asked + 1  # One may have been on its way.
    assert page.complaints == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1_280])
def test_it_is_readable_at_every_width_and_in_both_schemes(
    browser: Chromium, local: RunningLocally, tmp_path: Path, width: int, dark: bool
) -> None:
    page = _page(browser, local, width=width, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground, ink = page.evaluate(
        "['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name].match(/[0-9]+/g).map(Number))"
    )
    assert _contrast(ground, ink) >= 7
    soft = page.evaluate("getComputedStyle(document.querySelector('.routing')).color.match(/[0-9]+/g).map(Number)")
    assert _contrast(ground, soft) >= 4.5
    assert (sum(ground) < 3 * 128) == dark
    assert set(page.evaluate(LINES_WITH_LONG_NAMES)) <= {0, 1}  # No figure is parted from its unit.
    page.screenshot(tmp_path / "page.png")


LINES_WITH_LONG_NAMES = """(() => {
  for (const name of document.querySelectorAll("tbody th")) name.textContent = "as-long-as-the-cdk-names-".repeat(4);
  return [...document.querySelectorAll("td[data-figure]")].map(figure => {
    figure.textContent = "999 ms";
    const text = document.createRange();
    text.selectNodeContents(figure);
    return text.getClientRects().length;
  });
})()"""


def test_names_for_assistive_technology(browser: Chromium, local: RunningLocally) -> None:
    page = _page(browser, local, width=360)
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node.get("ignored")]
    named = {node["role"]["value"] for node in nodes if node.get("name", {}).get("value")}
    assert (roles.count("table"), roles.count("rowheader"), roles.count("status")) == (1, 3, 1)
    assert {"heading", "button", "link", "rowheader", "cell"} <= named


def test_a_lost_connection_is_told(browser: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text(SPEC, encoding="utf-8")
    with running_locally(file, speed=20) as running:
        page = _page(browser, running)
    page.wait_until("document.getElementById('connection').dataset.state === 'lost'")


def test_metrics_and_state_are_answered_beside_the_apis(local: RunningLocally) -> None:
    with urlopen(f"{local.url}{METRICS_PATH}", timeout=30) as answer:
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert b"warmroute_requests_total{" in answer.read()
    s3 = local.session("us-east-1").client("s3")
    s3.create_bucket(Bucket="metrics")
    s3.put_object(Bucket="metrics", Key="_warmroute/state", Body=b"mine")
    assert s3.get_object(Bucket="metrics", Key="_warmroute/state")["Body"].read() == b"mine"


def _contrast(one: list[int], other: list[int]) -> float:
    """Source: WCAG 2.2, "contrast ratio"."""
    lighter, darker = sorted(map(_luminance, (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: list[int]) -> float:
    channels = [value / 255 for value in colour[:3]]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
