"""Our own clients against the local endpoint: chat over boto3, and prepared openai clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from warmroute.client import openai as openai_helper
from warmroute.client.chat import ModelError, SageMakerChat
from warmroute.demo import example_spec
from warmroute.local import RunningLocally, running_locally

LONG = "This handbook answers every question about the product. " * 200


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_locally(example_spec(), speed=20) as running:
        yield running


def _messages(question: str) -> list[Any]:
    return [{"role": "system", "content": LONG}, {"role": "user", "content": question}]


def test_chat_over_boto3(local: RunningLocally) -> None:
    chat = SageMakerChat(local.session().client("sagemaker-runtime"), "support-bot", prefix_aware_id="tenant-1")
    replies = [chat.complete({"messages": _messages(f"{number}?"), "max_tokens": 3}) for number in range(3)]

    assert all(reply.text and reply.variant == "main" for reply in replies)
    assert [reply.usage.completion_tokens for reply in replies if reply.usage] == [3, 3, 3]
    assert replies[-1].usage is not None
    assert replies[-1].usage.cached_tokens is not None
    assert replies[-1].usage.cached_tokens > 2_000

    with chat.stream({"messages": _messages("Stream?"), "max_tokens": 5}) as stream:
        assert len(list(stream)) == 5
    assert stream.reply.usage is not None


def test_a_refusal_of_the_container_keeps_its_status(local: RunningLocally) -> None:
    chat = SageMakerChat(local.session().client("sagemaker-runtime"), "support-bot")

    with pytest.raises(ModelError) as refused:
        chat.complete({"messages": []})
    assert refused.value.status == 400


def test_prepared_openai_client(local: RunningLocally, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", local.url)
    session = boto3.Session("local", "local", region_name="us-east-1")
    with openai_helper.client(
        "support-bot", region="us-east-1", session=session, prompt_cache_key="tenant-7", max_retries=0
    ) as client:
        answers = [
            client.chat.completions.create(model="", messages=_messages(f"{number}?"), max_tokens=2)
            for number in range(3)
        ]

    usage = answers[-1].usage
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    assert (usage.prompt_tokens_details.cached_tokens or 0) > 2_000
