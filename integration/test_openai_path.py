"""The OpenAI-compatible API of the local endpoint, with the unmodified openai client and AWS's own tokens."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from bearer import bearer_token

from warmroute.demo import example_spec_text
from warmroute.local import RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 200


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLocally]:
    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    with running_locally(file, speed=20) as running:
        yield running


@pytest.fixture
def client(local: RunningLocally) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"{local.url}/endpoints/support-bot/openai/v1", api_key=bearer_token, max_retries=0
    ) as client:
        yield client


def _messages(question: str) -> list[Any]:
    return [{"role": "system", "content": LONG}, {"role": "user", "content": question}]


def test_chat_and_its_cached_tokens(client: openai.OpenAI) -> None:
    answers = [
        client.chat.completions.create(model="", messages=_messages(f"Question {n}?"), max_tokens=4) for n in range(3)
    ]

    cached = [answer.usage.prompt_tokens_details.cached_tokens for answer in answers]
    assert cached[0] == 0
    assert min(cached[1:]) > 2_000
    assert answers[0].choices[0].message.content


def test_streamed_chat_ends_with_usage(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="", messages=_messages("Stream?"), max_tokens=4, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)

    assert sum(bool(chunk.choices and chunk.choices[0].delta.content) for chunk in chunks) == 4
    assert chunks[-1].usage.completion_tokens == 4


def test_cache_key_separates_and_sampling_parameters_do_not(client: openai.OpenAI) -> None:
    def served(**options: Any) -> str:
        raw = client.chat.completions.with_raw_response.create(
            model="", messages=_messages("Where?"), max_tokens=1, **options
        )
        return str(raw.headers["x-warmroute-instance"])

    assert len({served(temperature=number / 10) for number in range(5)}) == 1
    assert len({served(prompt_cache_key=f"tenant-{number}") for number in range(30)}) >= 5


def test_a_token_of_another_service_is_refused(local: RunningLocally) -> None:
    base_url = f"{local.url}/endpoints/support-bot/openai/v1"
    with (
        openai.OpenAI(base_url=base_url, api_key="sk-something", max_retries=0) as client,
        pytest.raises(openai.PermissionDeniedError, match="does not begin with sagemaker-api-key-"),
    ):
        client.chat.completions.create(model="", messages=_messages("?"))


def test_refusals_keep_their_code(local: RunningLocally) -> None:
    headers = {"Authorization": f"Bearer {bearer_token()}"}

    def post(path: str, body: bytes) -> httpx2.Response:
        return httpx2.post(f"{local.url}{path}/openai/v1/chat/completions", content=body, headers=headers)

    assert post("/endpoints/nope", b"{}").headers["x-amzn-errortype"] == "ValidationError"
    assert post("/endpoints/support-bot", b"{").json()["OriginalStatusCode"] == 400
    assert post("/endpoints/support-bot", b'{"prompt": "x"}').status_code == 424
    assert "In service: none" in post("/endpoints/support-bot/inference-components/x", b'{"messages": [1]}').text


def test_depth_and_unknown_paths_are_refused_in_json(local: RunningLocally) -> None:
    headers = {"Authorization": f"Bearer {bearer_token()}"}
    deep = b'{"messages": [{"role": "user", "content": %s}]}' % (b"[" * 300 + b"]" * 300)
    base = f"{local.url}/endpoints/support-bot/openai/v1"
    too_deep = httpx2.post(f"{base}/chat/completions", content=deep, headers=headers)
    unknown = httpx2.get(f"{base}/models", headers=headers)

    assert (too_deep.status_code, too_deep.json()["OriginalStatusCode"]) == (424, 400)
    assert (unknown.status_code, unknown.headers["x-amzn-errortype"]) == (404, "UnknownOperationException")


def test_a_stream_that_is_given_up_while_it_waits_makes_room(local: RunningLocally) -> None:
    messages = _messages("Busy?")
    headers = {"Authorization": f"Bearer {bearer_token()}"}
    base_url = f"{local.url}/endpoints/support-bot/openai/v1"

    async def give_up() -> None:
        body = {"messages": messages, "max_tokens": 1_000_000, "stream": True}
        # Twice what every instance runs at once (max_num_seqs is 64): half of them wait for their first token.
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(timeout=60, limits=limits) as client:
            post = functools.partial(client.post, f"{base_url}/chat/completions", json=body, headers=headers)
            asking = [asyncio.create_task(post()) for _ in range(2 * 7 * 64)]
            await asyncio.sleep(4)
            for each in asking:
                each.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

    asyncio.run(give_up())
    with openai.OpenAI(base_url=base_url, api_key=bearer_token, max_retries=0, timeout=30) as client:
        assert client.chat.completions.create(model="", messages=messages, max_tokens=4).usage.completion_tokens == 4
