"""Telemetry of runs against servers of HTTP: the local endpoint, servers that look like vLLM's, CloudWatch's API."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from boto3.session import Session

from warmroute.demo import example_spec_text
from warmroute.errors import WarmrouteError
from warmroute.local import STATE_PATH, EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.measure.telemetry import (
    CloudWatchObserver,
    JoinedObserver,
    OverflowBasis,
    PromqlApi,
    PromqlObserver,
    RunTelemetry,
    local_observer,
    vllm_observer,
)
from warmroute.measure.telemetry.cloudwatch import Clock

LONG = "This handbook answers every question about the product. " * 100


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLocally]:
    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    with running_locally(file, speed=20) as running:
        yield running


def _send(local: RunningLocally, count: int, endpoint: str = "support-bot", **more: Any) -> None:
    runtime = local.session("us-east-1").client("sagemaker-runtime")

    def send(number: int) -> None:
        messages = [{"role": "system", "content": f"{number % 4} {LONG}"}, {"role": "user", "content": str(number)}]
        body = json.dumps({"messages": messages, "max_tokens": 8, "stream": True, **more})
        answer = runtime.invoke_endpoint_with_response_stream(
            EndpointName=endpoint, Body=body, ContentType="application/json"
        )
        assert list(answer["Body"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(count)))


def test_the_local_endpoint_tells_everything(local: RunningLocally) -> None:
    _send(local, 5)  # Before the run.
    watching = local_observer(local.url, "support-bot", "main", interval_seconds=0.2)
    observer = JoinedObserver([watching])
    observer.begin()
    _send(local, 40)
    telemetry = observer.end()

    assert set(telemetry.unavailable) == {"hit_rate_ceiling", "hit_rate_predicted"}
    assert telemetry.requests == 40
    assert telemetry.ttft is not None
    assert telemetry.ttft.count == 40
    assert telemetry.ttft.p50_seconds is not None
    assert telemetry.instance_shares is not None
    assert sum(telemetry.instance_shares.values()) == pytest.approx(1)
    assert telemetry.overflow is not None
    assert telemetry.overflow.basis is OverflowBasis.MEASURED
    with urlopen(f"{local.url}{STATE_PATH}", timeout=30) as answer:
        fleet = json.load(answer)["endpoints"][0]["fleets"][0]
    assert fleet["requests"] == 45
    assert telemetry.hit_rate is not None
    assert 0.8 < telemetry.hit_rate < 1
    assert telemetry.queue_depth is not None
    assert len(telemetry.queue_depth) >= 2
    assert RunTelemetry.from_json(json.loads(json.dumps(telemetry.to_json()))) == telemetry


def test_what_is_not_there_is_said_at_the_beginning(local: RunningLocally) -> None:
    with pytest.raises(WarmrouteError, match="it has no instance of endpoint nope"):
        local_observer(local.url, "nope").begin()
    with pytest.raises(WarmrouteError, match="it does not answer"):
        vllm_observer(["http://127.0.0.1:9"]).begin()
    with pytest.raises(WarmrouteError, match="it answers with status 404"):
        vllm_observer([f"{local.url}/_warmroute/nothing"]).begin()


class Engine:
    """A server with vLLM's metrics and its API, which counts what it is told to."""

    def __init__(self) -> None:
        self.counts = {"finished": 0, "hits": 0, "queries": 0}
        self.usage = 0.25
        engine = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._say(engine.text() if self.path == "/metrics" else b"", "text/plain; version=0.0.4")

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                engine.serve(hits=900, queries=1_000)
                self._say(b"data: [DONE]\n\n", "text/event-stream")

            def _say(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def serve(self, hits: int, queries: int) -> None:
        self.counts["finished"] += 1
        self.counts["hits"] += hits
        self.counts["queries"] += queries

    def restart(self) -> None:
        self.counts = dict.fromkeys(self.counts, 0)

    def text(self) -> bytes:
        labels = '{engine="0",model_name="m"}'
        return (
            f"# TYPE vllm:request_success counter\nvllm:request_success_total{labels} {self.counts['finished']}.0\n"
            f"vllm:prefix_cache_hits_total{labels} {self.counts['hits']}.0\n"
            f"vllm:prefix_cache_queries_total{labels} {self.counts['queries']}.0\n"
            f"vllm:num_requests_running{labels} 0.0\nvllm:num_requests_waiting{labels} 0.0\n"
            f"vllm:kv_cache_usage_perc{labels} {self.usage}\n"
        ).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def engines() -> Iterator[list[Engine]]:
    started = [Engine(), Engine()]
    yield started
    for engine in started:
        engine.close()


def _sampled(observer: Any, seconds: float = 10.0) -> None:
    """Wait until the observer has taken another sample."""
    taken, deadline = len(observer._rounds), time.monotonic() + seconds
    while len(observer._rounds) < taken + 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_servers_of_vllm_one_of_which_starts_anew(engines: list[Engine]) -> None:
    one, other = engines
    one.serve(500, 1_000)
    observer = vllm_observer([one.url, other.url], concurrency_threshold=50, interval_seconds=0.05)
    observer.begin()
    for _ in range(3):
        one.serve(900, 1_000)
    other.serve(0, 1_000)
    _sampled(observer)
    one.restart()
    one.serve(100, 1_000)
    telemetry = observer.end()

    assert telemetry.requests == 5
    assert telemetry.hit_rate == pytest.approx((2_700 + 0 + 100) / 5_000)
    assert telemetry.instance_shares == {one.url: pytest.approx(0.8), other.url: pytest.approx(0.2)}
    assert telemetry.kv_cache_usage is not None
    assert {point.value for point in telemetry.kv_cache_usage} == {0.25}
    assert any("began anew" in note for note in telemetry.notes)


def test_the_local_endpoint_shows_what_engines_behind_it_count(engines: list[Engine], tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    settings = EngineSettings(EngineKind.URL, tuple(engine.url for engine in engines))
    with running_locally(file, engines=settings) as running:
        observer = local_observer(running.url, "support-bot", interval_seconds=0.5)
        observer.begin()
        _send(running, 10)
        time.sleep(1.1)  # What servers tell is taken for their latest for a second.
        telemetry = observer.end()
    assert telemetry.requests == 10
    assert (telemetry.hit_tokens, telemetry.queried_tokens) == (9_000, 10_000)
    assert telemetry.ttft is not None
    assert telemetry.ttft.count == 10


def test_classic_metrics_over_cloudwatch_s_api(local: RunningLocally) -> None:
    client = local.session("us-east-1").client("cloudwatch")
    observer = CloudWatchObserver(client, "classic", "main", concurrency_threshold=16, wait_seconds=30)
    observer.begin()
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    last = now - timedelta(minutes=1)
    observer._began = now - timedelta(minutes=3)
    variant = {"EndpointName": "classic", "VariantName": "main"}
    for instance, count in (("i-0", 30.0), ("i-1", 10.0)):
        _put(client, "Invocations", variant | {"InstanceId": instance}, count, last)
    _put(client, "Invocations", variant, 10.0, now - timedelta(minutes=2))
    _put(client, "Invocations", variant, 30.0, last)
    _put(client, "ConcurrentRequestsPerModel", variant, 5.0, now - timedelta(minutes=2))
    _put(client, "ConcurrentRequestsPerModel", variant, 20.0, last)
    telemetry = observer.end()

    assert telemetry.requests == 40
    assert telemetry.instance_shares == {"i-0": 0.75, "i-1": 0.25}
    assert telemetry.overflow is not None
    assert (telemetry.overflow.at_most, telemetry.overflow.basis) == (0.75, OverflowBasis.BOUNDED)


def _put(client: Any, name: str, dimensions: dict[str, str], value: float, at: datetime) -> None:
    datum = {
        "MetricName": name,
        "Dimensions": [{"Name": key, "Value": text} for key, text in dimensions.items()],
        "Timestamp": at,
        "Value": value,
    }
    client.put_metric_data(Namespace="AWS/SageMaker", MetricData=[datum])


def test_promql_is_asked_as_prometheus_is_and_signed() -> None:
    asked: list[tuple[str, dict[str, list[str]], str]] = []
    now = time.time()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked.append((parts.path, parse_qs(parts.query), self.headers["Authorization"]))
            data: Any = ["vllm:num_requests_waiting"]
            if parts.path.endswith("query_range"):
                series = {"metric": {"@resource.host.id": "i-0"}, "values": [[now - 60, "0"], [now + 5, "3"]]}
                data = {"resultType": "matrix", "result": [series]}
            body = json.dumps({"status": "success", "data": data}).encode()
            self.send_response(403 if "denied" in self.path else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        session = Session("key", "secret", region_name="us-east-1")
        observer = PromqlObserver(PromqlApi(session, "us-east-1", url), "bot", clock=Clock(sleep=lambda _: None))
        observer.begin()
        telemetry = observer.end()
        with pytest.raises(WarmrouteError, match="status 403"):
            PromqlApi(session, "us-east-1", f"{url}/denied").names()
    finally:
        server.shutdown()
        server.server_close()

    assert [path for path, _, _ in asked[:3]] == [
        "/api/v1/label/__name__/values",
        "/api/v1/label/__name__/values",
        "/api/v1/query_range",
    ]
    assert asked[2][1]["query"] == ['{"vllm:num_requests_waiting", "aws.sagemaker.endpoint.name"="bot"}']
    assert all("/us-east-1/monitoring/aws4_request" in signature for _, _, signature in asked)
    assert telemetry.queue_depth is not None
    assert telemetry.queue_depth[-1].value == 3
