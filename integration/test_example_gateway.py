"""The gateway over HTTP, as the programs of its tenants use it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from example_runs import EXAMPLES, run_example

from warmroute.demo import example_spec
from warmroute.local.testing import LocalEndpoint, MakeEndpoint

pytest_plugins = ["warmroute.local.testing"]

HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60


def test_a_tenant_s_requests_meet_one_warm_instance_by_an_id_that_does_not_name_it(
    local_endpoint: MakeEndpoint,
) -> None:
    endpoint = local_endpoint(example_spec())
    with gateway(endpoint) as url:
        acme, initech = tenant(url, "acme"), tenant(url, "initech")
        first, second, other = (_cached(client, "When?") for client in (acme, acme, initech))

    keys = [request.key for request in endpoint.requests]
    instances = [request.instance for request in endpoint.requests]
    assert keys[0] == keys[1] != keys[2]
    assert instances[0] == instances[1]
    assert (first, other) == (0.0, 0.0)
    assert second > 0.9


def test_a_tenant_finds_nothing_that_another_left_on_a_shared_instance(local_endpoint: MakeEndpoint) -> None:
    variant = example_spec().variants[0].model_copy(update={"initial_instance_count": 1})
    endpoint = local_endpoint(example_spec().model_copy(update={"variants": (variant,)}))
    with gateway(endpoint) as url:
        acme, initech = tenant(url, "acme"), tenant(url, "initech")
        left, other = _cached(acme, "When?"), _cached(initech, "When?")
        # What a tenant sends in place of the gateway's own fields opens no door.
        forged = [_cached(initech, "When?", extra_body={"cache_salt": salt}) for salt in ("acme", "")]
        again = _cached(acme, "When?", prompt_cache_key="a conversation")

    assert len({request.instance for request in endpoint.requests}) == 1
    assert (left, other) == (0.0, 0.0)
    assert all(cached > 0.9 for cached in (*forged, again))  # Each finds its own blocks.


def test_an_answer_streams_through_and_a_client_that_goes_makes_room(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(example_spec())
    with gateway(endpoint, MOST_IN_FLIGHT="1") as url:
        acme, initech = tenant(url, "acme"), tenant(url, "initech")
        # Longer than the test: that anything arrives shows that it streams.
        stream = acme.chat.completions.create(
            model="", messages=_messages("Tell me everything."), max_tokens=100_000, stream=True
        )
        assert next(iter(stream)).choices[0].delta.content
        with pytest.raises(openai.RateLimitError, match="1 requests are in flight already"):
            _cached(acme, "When?")
        assert _cached(initech, "When?") == 0.0  # Another tenant has room of its own.
        stream.close()
        _eventually(lambda: _cached(acme, "When?"))


def test_the_program_of_two_tenants(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(example_spec())
    with gateway(endpoint) as url:
        said = run_example("gateway", {"PORT": str(urlsplit(url).port)}, program="ask.py")

    told = re.findall(r"^(\w+): \S.*\n  (\d+) in the prompt, (\d+) cached$", said, re.MULTILINE)
    assert [tenant for tenant, _, _ in told] == ["acme", "acme", "initech"]
    assert [int(cached) > 0.9 * int(prompt) for _, prompt, cached in told] == [False, True, False]


def test_what_is_refused(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(example_spec())
    with gateway(endpoint) as url:
        with pytest.raises(openai.AuthenticationError, match="Give one of this gateway's keys"):
            _cached(tenant(url, "nobody"), "When?")
        with pytest.raises(openai.BadRequestError, match="The body is not a JSON object"):
            tenant(url, "acme").post("/chat/completions", body=[], cast_to=object)
        with pytest.raises(openai.APIStatusError, match="max_tokens must be at least 1") as refused:
            _cached(tenant(url, "acme"), "When?", max_tokens=0)

    assert refused.value.status_code == 424


@contextmanager
def gateway(endpoint: LocalEndpoint, **settings: str) -> Iterator[str]:
    """The program in a process of its own, answering."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, **endpoint.environment, "GATEWAY_SECRET": "sixteen bytes, at the least", **settings}
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "gateway/main.py")], env={**environment, "PORT": str(port)}
    )
    try:
        _eventually(lambda: socket.create_connection(("127.0.0.1", port)).close())
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        assert process.wait(timeout=60) in {0, -15}


def tenant(url: str, name: str) -> openai.OpenAI:
    """What a tenant uses: any OpenAI client."""
    return openai.OpenAI(base_url=url, api_key=f"key-of-{name}", max_retries=0)


def _cached(client: openai.OpenAI, question: str, **options: Any) -> float:
    """Share of the prompt that was found in a cache."""
    answer = client.chat.completions.create(model="", messages=_messages(question), **{"max_tokens": 4, **options})
    assert answer.choices[0].message.content
    usage: Any = answer.usage
    return float(usage.prompt_tokens_details.cached_tokens / usage.prompt_tokens)


def _messages(question: str) -> list[Any]:
    return [{"role": "system", "content": HANDBOOK}, {"role": "user", "content": question}]


def _eventually(attempt: Any) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            attempt()
        except (OSError, openai.RateLimitError):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return
