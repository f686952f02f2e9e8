"""What a user can see of the local endpoint: metrics, state, and the page's own promises."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from warmroute.local.data import DataPlane
from warmroute.local.engines import ContainerRefusal, StreamBrokenError
from warmroute.local.engines.vllm_counts import vllm_counts
from warmroute.local.observability import Observability

SIGNED = "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/sagemaker/aws4_request, SignedHeaders=host, Signature=0"
SECRET = "the quick brown fox"
LONG = f"{SECRET} jumps over the lazy dog. " * 100


class Local:
    """The data plane and what can be seen of it."""

    def __init__(self, world) -> None:
        self.world = world
        self.plane, self.pages = DataPlane(world.fleets), Observability(world.fleets)

    async def _asked(self, app, method, path, body=b"", leaves_after=None, **headers):
        sent, coming = [], [{"type": "http.request", "body": body, "more_body": False}]
        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
        scope["headers"] = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

        async def receive():
            if coming:
                return coming.pop()
            while leaves_after is None or len(sent) <= leaves_after:
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await asyncio.wait_for(app(scope, receive, send), 30)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}, body

    def invoke(self, body, path="/endpoints/bot/invocations", **more):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return asyncio.run(self._asked(self.plane, "POST", path, data, authorization=SIGNED, **more))

    def see(self, path, method="GET"):
        return asyncio.run(self._asked(self.pages, method, path))

    def state(self):
        return json.loads(self.see("/_warmroute/state")[2])

    def fleet(self):
        return self.state()["endpoints"][0]["fleets"][0]

    def metrics(self):
        text = self.see("/_warmroute/metrics")[2].decode()
        return {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def total(self, name, **labels):
        return sum(
            value for (named, *of), value in self.metrics().items() if named == name and set(labels.items()) <= set(of)
        )


@pytest.fixture
def local(world):
    return Local(world)


def _stream(prompt=LONG):
    return {"prompt": prompt, "max_tokens": 3, "stream": True}


def test_figures_are_there_before_anybody_sends_a_request(local):
    fleet = local.fleet()

    assert [instance["status"] for instance in fleet["instances"]] == ["InService", "InService"]
    assert (fleet["requests"], fleet["hit_rate"], fleet["overflow_share"]) == (0, None, None)
    assert local.total("warmroute_instance_in_service", endpoint="bot", variant="main", component="") == 2


def test_state_and_metrics_tell_the_same(local):
    for number in range(9):
        local.invoke(_stream(f"{number % 3} {LONG}"))
    fleet = local.fleet()

    assert fleet["requests"] == 9
    assert fleet["hit_tokens"] > 0
    assert fleet["hit_rate"] == fleet["hit_tokens"] / fleet["queried_tokens"]
    assert sum(instance["share"] for instance in fleet["instances"]) == pytest.approx(1)
    assert fleet["recent_ttft"]["answers"] == 9
    assert 0 < fleet["recent_ttft"]["p50_seconds"] <= fleet["recent_ttft"]["p90_seconds"]
    for name, field in (
        ("requests", "requests"),
        ("prefix_cache_queries", "queried_tokens"),
        ("prefix_cache_hits", "hit_tokens"),
        ("overflow_requests", "overflow_requests"),
        ("displaced_requests", "displaced_requests"),
    ):
        for instance in fleet["instances"]:
            assert local.total(f"warmroute_{name}_total", instance=instance["id"]) == instance[field]


def test_times_to_first_token_are_those_of_streams(local):
    local.invoke({"prompt": LONG, "max_tokens": 3})
    assert local.total("warmroute_time_to_first_token_seconds_count") == 0
    local.invoke(_stream())
    local.invoke(_stream(), path="/endpoints/bot/invocations-response-stream")

    assert local.total("warmroute_time_to_first_token_seconds_count") == 2
    assert local.total("warmroute_time_to_first_token_seconds_bucket", le="+Inf") == 2
    assert 0 < local.total("warmroute_time_to_first_token_seconds_sum") < 60


def test_an_overflow_is_counted_where_it_is_served_and_where_it_comes_from(world, local):
    routing = {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"PrefixLength": 1_024, "ConcurrencyThreshold": 1},
    }
    world.change(variants=(replace(world.main, routing_config=routing),))

    async def two_at_once():
        body = json.dumps({**_stream(), "max_tokens": 2_000}).encode()
        path = "/endpoints/bot/invocations"
        await asyncio.gather(*(local._asked(local.plane, "POST", path, body, authorization=SIGNED) for _ in range(2)))

    asyncio.run(two_at_once())
    fleet = local.fleet()
    there, here = sorted(fleet["instances"], key=lambda instance: instance["overflow_requests"])
    assert fleet["routing"] == {
        "routing_strategy": "PREFIX_AWARE",
        "prefix_length": 1_024,
        "concurrency_threshold": 1,
    }
    assert (fleet["overflow_requests"], fleet["overflow_share"]) == (1, 0.5)
    assert (here["overflow_requests"], here["displaced_requests"]) == (1, 0)
    assert (there["overflow_requests"], there["displaced_requests"]) == (0, 1)


def _fails(local, monkeypatch, error, *, late=False):
    engine = local.world.fleet().instances[0].engine
    whole = type(engine).answer

    async def answer(self, request):
        if not late:
            raise error
        answered = await whole(self, request)

        class Broken:
            content_type, headers, close = answered.content_type, {}, answered.close

            async def __aiter__(self):
                yield b"data: {}\n\n"
                raise error

        return Broken()

    monkeypatch.setattr(type(engine), "answer", answer)


@pytest.mark.parametrize(
    ("error", "late", "kind"),
    [
        (ContainerRefusal(422, "no"), False, "container_4xx"),
        (ContainerRefusal(500, "no"), False, "container_5xx"),
        (ContainerRefusal(0, "no"), False, "no_answer"),
        (StreamBrokenError("gone"), True, "stream_broken"),
    ],
)
@pytest.mark.parametrize("operation", ["invocations", "invocations-response-stream"])
def test_failures_by_kind(local, monkeypatch, error, late, kind, operation):
    _fails(local, monkeypatch, error, late=late)
    local.invoke(_stream(), path=f"/endpoints/bot/{operation}")

    assert local.fleet()["failures"] == {kind: 1}
    assert local.total("warmroute_request_failures_total", reason=kind) == 1
    assert local.total("warmroute_request_failures_total") == 1
    assert local.fleet()["in_flight"] == 0


def test_an_engine_that_takes_too_long(world, local, monkeypatch):
    async def answer(self, request):
        await asyncio.sleep(60)

    monkeypatch.setattr(type(world.fleet().instances[0].engine), "answer", answer)
    monkeypatch.setattr(type(world.fleet().engines), "answer_seconds", 0.01)
    assert local.invoke(_stream())[0] == 424
    assert local.fleet()["failures"] == {"timeout": 1}


def test_a_client_that_goes_away_in_the_middle(local):
    long = {**_stream(), "max_tokens": 100_000}
    local.invoke(long, path="/endpoints/bot/invocations-response-stream", leaves_after=3)
    assert local.fleet()["failures"] == {"client_gone": 1}


def test_refusals_by_code(local):
    local.invoke(_stream(), path="/endpoints/nope/invocations")
    local.invoke(_stream(), path="/endpoints/bot/nothing")

    assert local.state()["refused"] == {"UnknownOperationException": 1, "ValidationError": 1}
    assert local.total("warmroute_refused_requests_total", code="ValidationError") == 1
    assert local.fleet()["requests"] == 0


def test_components_are_fleets_and_adapters_are_named(world, local):
    adapter = replace(world.component, name="legal", base="llama", serial=8)
    world.change(variants=(replace(world.main, model_name=None),), components=(world.component, adapter))
    local.invoke(_stream(), x_amzn_sagemaker_inference_component="legal")

    (fleet,) = local.state()["endpoints"][0]["fleets"]
    assert (fleet["variant"], fleet["component"], fleet["adapters"]) == ("main", "llama", ["legal"])
    assert (fleet["requests"], len(fleet["instances"])) == (1, 3)
    assert local.total("warmroute_requests_total", component="llama") == 1


def test_without_a_prefix_cache_there_is_no_hit_rate(world, local):
    environment = {"SM_VLLM_NO_ENABLE_PREFIX_CACHING": "true"}
    world.change(variants=(replace(world.main, model_environment=environment),))
    local.invoke(_stream())
    assert (local.fleet()["requests"], local.fleet()["hit_rate"]) == (1, None)


def test_nothing_of_a_prompt_appears(local):
    local.invoke(_stream())
    local.invoke({"messages": SECRET})
    local.invoke(SECRET.encode())
    for path in ("/_warmroute/", "/_warmroute/state", "/_warmroute/metrics"):
        assert SECRET.encode() not in local.see(path)[2]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_warmroute", 308),
        ("HEAD", "/_warmroute/state", 200),
        ("GET", "/_warmroute/nothing", 404),
        ("POST", "/_warmroute/state", 405),
    ],
)
def test_what_is_answered_where(local, method, path, status):
    assert local.see(path, method)[0] == status


def test_the_page_may_run_its_own_script_and_ask_its_own_server(local):
    status, headers, body = local.see("/_warmroute/")
    page, policy = body.decode(), headers["content-security-policy"]

    assert status == 200
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "connect-src 'self'" in policy
    outside = [address for address in re.findall(r"https?://[^\s'\")]+", page) if "www.w3.org/2000/svg" not in address]
    assert not outside


def test_counts_from_the_metrics_of_vllm():
    text = b"""# HELP vllm:num_requests_waiting Number of requests waiting.
vllm:num_requests_waiting{engine="0",model_name="m"} 2.0
vllm:num_requests_waiting{engine="1",model_name="m"} 1.0
vllm:num_requests_waiting_by_reason{engine="1",model_name="m"} 7.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 1.2e+03
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 900.0
"""
    counts = vllm_counts(text)
    assert (counts.queried_tokens, counts.hit_tokens, counts.waiting, counts.kv_cache_usage) == (1_200, 900, 3, 0.25)
    nothing = vllm_counts(b"<html>no metrics here</html>")
    assert (nothing.queried_tokens, nothing.hit_tokens, nothing.waiting, nothing.kv_cache_usage) == (None,) * 4
