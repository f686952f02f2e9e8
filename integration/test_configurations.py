"""AWS's 16 configurations: single-model and component endpoints, both APIs, long and short prompts, two strategies.

Every request is answered, and routing keeps what it promises.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openai
import pytest
from bearer import bearer_token
from stand_in_servers import until

from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.local import RunningLocally, running_locally
from warmroute.local.deploying import deploy_locally
from warmroute.local.testing import LocalEndpoint, RoutedRequest

TARGETS, THRESHOLD, PREFIX_LENGTH = 3, 2, 1_024
STRATEGIES = ("RANDOM", "PREFIX_AWARE")
HANDBOOK = {"long": "Every question has its answer here. " * 250, "short": "Be brief."}
ENDLESS = 200_000
"""Tokens of an answer that is still streaming when the test has seen enough."""

SPEC = """
name: {name}
region: us-east-1
models:
  llama:
    image: {{framework: vllm}}
    source: {{hugging_face: some/model}}
    vllm: {{max_num_seqs: 32, max_model_len: 262144}}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: {targets}
    routing_config: {routing}
"""
COMPONENT = """
    model_name: null
inference_components:
  - name: {name}-component
    variant_name: main
    specification:
      model_name: llama
      compute_resource_requirements: {{min_memory_required_in_mb: 1024}}
    runtime_config: {{copy_count: {targets}}}
"""
ROUTING = {
    "RANDOM": "{routing_strategy: RANDOM}",
    "PREFIX_AWARE": "{routing_strategy: PREFIX_AWARE, prefix_aware_routing_config: "
    f"{{prefix_length: {PREFIX_LENGTH}, concurrency_threshold: {THRESHOLD}}}}}",
}


def _spec(kind: str, strategy: str) -> EndpointSpec:
    name = f"{kind}-{strategy.replace('_', '-').lower()}"
    text = SPEC + (COMPONENT if kind == "component" else "    model_name: llama\n")
    values = {"name": name, "targets": TARGETS, "routing": ROUTING[strategy]}
    return parse_spec(text.replace("    model_name: null\n", "").format(**values), name="endpoint.yaml")


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_locally(speed=100, deployment_seconds=0) as running:
        for kind, strategy in itertools.product(("single", "component"), STRATEGIES):
            deploy_locally(_spec(kind, strategy), running.url)
        yield running


class Caller:
    """Asks one endpoint through one of its APIs."""

    def __init__(self, endpoint: LocalEndpoint, api: str, component: str) -> None:
        self.endpoint = endpoint
        self._api = api
        self._component = component
        self._runtime = endpoint.client("sagemaker-runtime")
        path = f"inference-components/{component}/openai/v1" if component else "openai/v1"
        self._openai = openai.OpenAI(
            base_url=f"{endpoint.url}/endpoints/{endpoint.name}/{path}", api_key=bearer_token, max_retries=0
        )

    def ask(self, messages: list[Any], tenant: str = "") -> RoutedRequest:
        """Where a request went, which is answered."""
        if self._api == "native":
            answer = self._runtime.invoke_endpoint(Body=_body(messages, max_tokens=2), **self._named(tenant))
            text = json.loads(answer["Body"].read())["choices"][0]["message"]["content"]
        else:
            key = {"prompt_cache_key": tenant} if tenant else {}
            text = self._openai.chat.completions.create(model="", messages=messages, max_tokens=2, **key)
            text = text.choices[0].message.content
        assert text
        return self.endpoint.requests[-1]

    @contextlib.contextmanager
    def asking(self, messages: list[Any]) -> Iterator[RoutedRequest]:
        """Where a request went, whose answer goes on as long as the block."""
        if self._api == "native":
            body = _body(messages, max_tokens=ENDLESS, stream=True)
            stream = self._runtime.invoke_endpoint_with_response_stream(Body=body, **self._named(""))["Body"]
            begun: Callable[[], Any] = iter(stream).__next__
        else:
            stream = self._openai.chat.completions.create(model="", messages=messages, max_tokens=ENDLESS, stream=True)
            begun = stream.__next__
        try:
            assert begun()
            yield self.endpoint.requests[-1]
        finally:
            stream.close()

    def close(self) -> None:
        self._runtime.close()
        self._openai.close()

    def _named(self, tenant: str) -> dict[str, str]:
        named = {"EndpointName": self.endpoint.name, "ContentType": "application/json"}
        named |= {"InferenceComponentName": self._component} if self._component else {}
        return named | ({"PrefixAwareId": tenant} if tenant else {})


def _body(messages: list[Any], **more: Any) -> str:
    return json.dumps({"messages": messages, **more})


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("prompts", ["long", "short"])
@pytest.mark.parametrize("api", ["native", "openai"])
@pytest.mark.parametrize("kind", ["single", "component"])
def test_every_request_is_answered_and_routing_keeps_its_promises(
    local: RunningLocally, kind: str, api: str, prompts: str, strategy: str
) -> None:
    name = _spec(kind, strategy).name
    component = f"{name}-component" if kind == "component" else ""
    caller = Caller(LocalEndpoint(local, name, "us-east-1"), api, component)

    def conversation(number: int, question: str = "Why?") -> list[Any]:
        handbook = f"Handbook {number}. {HANDBOOK[prompts]}"
        return [{"role": "system", "content": handbook}, {"role": "user", "content": question}]

    with contextlib.closing(caller):
        spread = [caller.ask(conversation(number)) for number in range(30)]
        # A short prompt is compared whole, a long one by its beginning.
        questions = ["Why?", "How?", "When?", "Where?"] if prompts == "long" else ["Why?"] * 4
        alike = [caller.ask(conversation(0, question)) for question in questions]
        tenants = [caller.ask(conversation(0), f"tenant-{number % 10}") for number in range(20)]
        with ExitStack() as streams:
            busy = [streams.enter_context(caller.asking(conversation(0))) for _ in range(THRESHOLD + 1)]

        seen = caller.endpoint.requests
        assert len(seen) == 30 + 4 + 20 + THRESHOLD + 1
        assert {request.status for request in seen} == {200}
        assert {request.variant for request in seen} == {"main"}
        shares = Counter(request.instance for request in spread)
        assert len(shares) == TARGETS
        assert max(shares.values()) <= 2 * len(spread) / TARGETS

        if strategy == "RANDOM":
            assert not any(request.key or request.overflowed for request in seen)
            assert len({request.instance for request in tenants + alike}) == TARGETS
            return
        home = spread[0].instance
        assert {request.instance for request in alike} == {home}
        assert {request.key for request in alike} == {spread[0].key}
        assert len({request.key for request in spread}) == 30
        by_tenant = {request.key: request.instance for request in tenants}
        assert len(by_tenant) == 10
        assert [request.instance for request in tenants[:10]] == [request.instance for request in tenants[10:]]
        assert len(set(by_tenant.values())) > 1
        assert not any(request.overflowed for request in spread + alike + tenants)
        # InvokeEndpoint compares bytes of the body, so that a short prompt with other parameters is another one.
        assert (api == "native" and prompts == "short") or busy[0].home == home
        assert {request.home for request in busy} == {busy[0].home}
        assert [request.overflowed for request in busy] == [False] * THRESHOLD + [True]

        def comes_home() -> bool:
            with caller.asking(conversation(0)) as again:
                return not again.overflowed

        until(comes_home, "what was given up makes room")
