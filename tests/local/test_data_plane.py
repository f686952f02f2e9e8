"""The data plane as an ASGI application: what it answers, and what it does when nobody waits any more."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import botocore.session
import pytest

from warmroute.fleet import EngineRequest, prompt_blocks
from warmroute.local.data import DataPlane
from warmroute.local.data.connection import MAX_BODY_BYTES
from warmroute.local.engines import prompts

SIGNED = "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/sagemaker/aws4_request, SignedHeaders=host, Signature=0"
INVOKE = "/endpoints/bot/invocations"
LONG = "This handbook answers every question about the product. " * 100


class Client:
    """One request at a time, on a connection of its own."""

    def __init__(self, fleets) -> None:
        self._plane = DataPlane(fleets)

    def post(self, path, body, *, method="POST", leaves=lambda: False, **headers):
        return asyncio.run(self.post_soon(path, body, method=method, leaves=leaves, **headers))

    async def post_soon(self, path, body, *, method="POST", leaves=lambda: False, **headers):
        """The answer's status, headers and body; all None where there was none.

        Args:
            leaves: Whether the client goes away now.
        """
        headers = {"authorization": SIGNED} | {name.replace("_", "-"): value for name, value in headers.items()}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items() if value],
        }
        encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
        coming = [{"type": "http.request", "body": encoded, "more_body": False}]
        sent = []

        async def receive():
            if coming:
                return coming.pop()
            while not leaves():
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await asyncio.wait_for(self._plane(scope, receive, send), 60)
        if not sent:
            return None, None, None
        answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.fixture
def client(world):
    return Client(world.fleets)


def _cached(answer):
    status, _, body = answer
    assert status == 200, body
    return json.loads(body)["usage"]["prompt_tokens_details"]["cached_tokens"]


def test_a_prompt_is_found_again_on_its_instance(world, client):
    world.change(variants=(replace(world.main, instance_count=1),))
    assert _cached(client.post(INVOKE, {"prompt": LONG, "max_tokens": 2})) == 0
    assert _cached(client.post(INVOKE, {"prompt": LONG, "max_tokens": 2})) > 1_000


def test_base_adapters_and_salts_share_nothing(world, client):
    base = replace(world.component, copy_count=1)
    adapters = [replace(base, name=name, base="llama", serial=serial) for name, serial in (("legal", 8), ("tax", 9))]
    world.change(components=(base, *adapters))

    def ask(component, **more):
        body = {"prompt": LONG, "max_tokens": 1, **more}
        return _cached(client.post(INVOKE, body, x_amzn_sagemaker_inference_component=component))

    asked = [(name, salt) for name in ("llama", "legal", "tax") for salt in ("", "tenant", "legal/8", "\0")]
    assert [ask(name, cache_salt=salt) for name, salt in asked] == [0] * len(asked)
    assert all(ask(name, cache_salt=salt) > 1_000 for name, salt in asked)

    world.change(components=(base, replace(adapters[0], serial=10), adapters[1]))
    assert ask("legal") == 0
    assert ask("tax") > 1_000


def test_kv_aware_routing_looks_for_the_adapter_s_own_blocks(world, client):
    variant = replace(world.main, routing_config={"RoutingStrategy": "KV_AWARE"})
    adapter = replace(world.component, name="legal", base="llama", serial=8)
    world.change(variants=(variant,), components=(world.component, adapter))

    def served(component):
        body = {"prompt": LONG, "max_tokens": 1}
        answer = client.post(INVOKE, body, x_amzn_sagemaker_inference_component=component)
        return answer[1]["x-warmroute-instance"]

    homes = {component: served(component) for component in ("llama", "legal")}
    for _ in range(4):
        assert {component: served(component) for component in homes} == homes


def test_without_a_prefix_cache_nothing_is_found(world, client):
    environment = {**world.main.model_environment, "SM_VLLM_NO_ENABLE_PREFIX_CACHING": "true"}
    world.change(variants=(replace(world.main, instance_count=1, model_environment=environment),))
    assert [_cached(client.post(INVOKE, {"prompt": LONG, "max_tokens": 1})) for _ in range(3)] == [0, 0, 0]


@pytest.mark.parametrize("variable", ["SM_VLLM_ENABLE_PREFIX_CACHING", "SM_VLLM_NO_ENABLE_PREFIX_CACHING"])
def test_a_prompt_is_hashed_once(world, client, monkeypatch, variable):
    hashed = []

    def counted(text, **options):
        hashed.append(text)
        return prompt_blocks(text, **options)

    monkeypatch.setattr(prompts, "prompt_blocks", counted)
    environment = {**world.main.model_environment, variable: "true"}
    routing = {"RoutingStrategy": "KV_AWARE"}
    world.change(variants=(replace(world.main, model_environment=environment, routing_config=routing),))
    client.post(INVOKE, {"prompt": LONG, "max_tokens": 1})
    assert hashed == [LONG]


def test_a_prompt_of_megabytes_is_read(client):
    answer = client.post(INVOKE, {"prompt": "x" * 4_000_000, "max_tokens": 1})
    assert json.loads(answer[2])["usage"]["prompt_tokens"] == 1_000_000


@pytest.mark.parametrize(
    ("path", "stream"),
    [(INVOKE, False), (INVOKE, True), (INVOKE + "-response-stream", False), (INVOKE + "-response-stream", True)],
)
@pytest.mark.parametrize("when", ["the engine has it", "it waits for a place", "tokens come"])
def test_a_client_that_goes_away_leaves_the_engine(world, client, path, stream, when):
    environment = {"SM_VLLM_MAX_NUM_SEQS": "1"}
    world.change(variants=(replace(world.main, instance_count=1, model_environment=environment),))
    instance = world.fleet().instances[0]
    engine = instance.engine._engine

    def leaves():
        if when == "it waits for a place":
            return engine.waiting == 1
        return engine.running == 1 and (when == "the engine has it" or next(iter(engine._running.values())).started)

    async def ask():
        other = instance.engine.generate(EngineRequest("other", prompt_blocks("other"), 100_000))
        if when == "it waits for a place":
            await anext(other)
        await client.post_soon(path, {"prompt": LONG, "max_tokens": 300_000, "stream": stream}, leaves=leaves)
        await other.aclose()

    asyncio.run(ask())
    assert (engine.running, engine.waiting, instance.in_flight) == (0, 0, 0)


def test_a_client_that_leaves_before_its_body_is_whole_is_not_answered(client):
    async def ask():
        sent = []
        received = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}],
        )

        async def receive():
            return next(received)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": INVOKE, "raw_path": INVOKE.encode(), "headers": []}
        await client._plane(scope, receive, send)
        return sent

    assert asyncio.run(ask()) == []


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/endpoints/bot/async-invocations", 400, "ValidationError"),
        ("POST", "/endpoints/bot/inference-components/x/async-invocations", 404, "UnknownOperationException"),
        ("POST", "/endpoints/bot/inference-components/x/invocations", 404, "UnknownOperationException"),
        ("POST", "/endpoints/bot/openai/v1/embeddings", 404, "UnknownOperationException"),
        ("GET", "/endpoints/bot/openai/v1/models", 404, "UnknownOperationException"),
        ("POST", "/endpoints/bot/nothing", 404, "UnknownOperationException"),
        ("POST", "/endpoints/bot/invocations/", 404, "UnknownOperationException"),
        ("POST", "/endpoints/bot%2Finvocations", 404, "UnknownOperationException"),
        ("POST", "/endpoints%2Fbot/invocations", 404, "UnknownOperationException"),
        ("POST", "/%65ndpoints/bot/invocations", 404, "UnknownOperationException"),
        ("POST", "/endpoints//invocations", 404, "UnknownOperationException"),
        ("POST", "/endpoints/", 404, "UnknownOperationException"),
        ("GET", INVOKE, 404, "UnknownOperationException"),
        ("PUT", INVOKE, 404, "UnknownOperationException"),
        ("DELETE", "/endpoints/bot", 404, "UnknownOperationException"),
        ("POST", "/endpoints/a%2Fb/invocations", 400, "ValidationError"),
        ("POST", "/endpoints/%00%ff%0a/invocations", 400, "ValidationError"),
        ("POST", f"/endpoints/{'x' * 5_000}/invocations", 400, "ValidationError"),
        ("POST", "/endpoints/%3Cscript%3E/invocations", 400, "ValidationError"),
    ],
)
def test_whatever_is_not_served_is_one_refusal_in_json(client, method, path, status, code):
    answered, headers, body = client.post(path, {}, method=method)
    assert (answered, headers["x-amzn-errortype"], headers["content-type"]) == (status, code, "application/json")
    assert json.loads(body)["Message"]


@pytest.mark.parametrize(
    "authorization",
    ["", "AWS4-HMAC-SHA256 Credential=///", SIGNED.replace("sagemaker", "sagemaker-runtime"), "Bearer x", "é"],
)
def test_whoever_does_not_sign_for_sagemaker_is_refused_in_json(client, authorization):
    status, headers, body = client.post(INVOKE, {}, authorization=authorization)
    assert (status, headers["x-amzn-errortype"]) == (403, "MissingAuthenticationTokenException")
    assert json.loads(body)["Message"]


def test_a_fault_of_the_program_is_answered_and_told(world, client, caplog):
    def broken(account, region, name):
        raise RuntimeError("a fault")

    world.fleets._in_force = broken
    status, headers, body = client.post(INVOKE, {"prompt": "x"})
    assert (status, headers["x-amzn-errortype"]) == (500, "InternalFailure")
    assert json.loads(body)["Message"].endswith("its own output tells why.")
    assert "RuntimeError: a fault" in caplog.text


def test_a_fault_in_the_middle_of_a_stream_ends_it_as_the_protocol_has_it(world, client, caplog):
    instance = world.fleet().instances[0]

    async def broken(request):
        yield 1, 0
        raise RuntimeError("a fault")

    for instance in world.fleet().instances:
        instance.engine.generate = broken
    status, _, body = client.post(INVOKE + "-response-stream", {"prompt": "x", "stream": True})
    assert status == 200
    assert b"InternalStreamFailure" in body
    assert "RuntimeError: a fault" in caplog.text
    assert instance.in_flight == 0


def test_the_largest_body_is_botocore_s():
    model = botocore.session.Session().get_service_model("sagemaker-runtime")
    assert model.shape_for("BodyBlob").metadata["max"] == MAX_BODY_BYTES


def test_a_body_beyond_the_limit_is_refused(client):
    assert client.post(INVOKE, b" " * MAX_BODY_BYTES + b"{}")[0] == 400
