"""The OpenAI-compatible API of the local endpoint, with the unmodified openai client and AWS's own tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from botocore.credentials import CredentialProvider, Credentials
from sagemaker.core.token_generator import generate_token

from warmroute.demo import example_spec_text
from warmroute.local import RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 200


class _Provider(CredentialProvider):
    METHOD = "test"

    def load(self) -> Credentials:
        return Credentials("local", "local")


def _token() -> str:
    return str(generate_token(region="us-east-1", aws_credentials_provider=_Provider()))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLocally]:
    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    with running_locally(file, speed=20) as running:
        yield running


@pytest.fixture
def client(local: RunningLocally) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"{local.url}/endpoints/support-bot/openai/v1", api_key=_token, max_retries=0
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
    headers = {"Authorization": f"Bearer {_token()}"}

    def post(path: str, body: bytes) -> httpx2.Response:
        return httpx2.post(f"{local.url}{path}/openai/v1/chat/completions", content=body, headers=headers)

    assert post("/endpoints/nope", b"{}").headers["x-amzn-errortype"] == "ValidationError"
    assert post("/endpoints/support-bot", b"{").json()["OriginalStatusCode"] == 400
    assert post("/endpoints/support-bot", b'{"prompt": "x"}').status_code == 424
    assert "In service: none" in post("/endpoints/support-bot/inference-components/x", b'{"messages": [1]}').text
