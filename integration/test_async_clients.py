"""An unmodified aiobotocore client against the local endpoint; runs where aiobotocore is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from warmroute.client import sagemaker
from warmroute.client.chat import AsyncSageMakerChat
from warmroute.demo import example_spec
from warmroute.local import RunningLocally, running_locally

aiobotocore = pytest.importorskip("aiobotocore.session", reason="aiobotocore has an environment of its own")

LONG = "This handbook answers every question about the product. " * 200


@pytest.fixture(scope="module")
def local() -> Iterator[RunningLocally]:
    with running_locally(example_spec(), speed=20) as running:
        yield running


def _request(question: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": LONG}, {"role": "user", "content": question}]
    return {"messages": messages, "max_tokens": 4}


def _client(local: RunningLocally) -> Any:
    return aiobotocore.get_session().create_client(
        "sagemaker-runtime",
        region_name="us-east-1",
        endpoint_url=local.url,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def test_requests_of_one_beginning_meet_one_warm_instance(local: RunningLocally) -> None:
    async def ask() -> tuple[set[str], list[int | None]]:
        async with _client(local) as client:
            sagemaker.install(client, prefix_aware_id="tenant-1")
            answers = [
                await client.invoke_endpoint(EndpointName="support-bot", Body=_request(f"{number}?"))
                for number in range(4)
            ]
            chat = AsyncSageMakerChat(client, "support-bot")
            replies = [await chat.complete(_request(f"{number}!")) for number in range(2)]
            served = {answer["ResponseMetadata"]["HTTPHeaders"]["x-warmroute-instance"] for answer in answers}
            return served, [reply.usage.cached_tokens if reply.usage else None for reply in replies]

    served, cached = asyncio.run(ask())
    assert len(served) == 1
    assert cached[1] is not None
    assert cached[1] > 2_000


def test_a_streamed_chat(local: RunningLocally) -> None:
    async def stream() -> tuple[list[str], int]:
        async with _client(local) as client:
            async with AsyncSageMakerChat(client, "support-bot").stream(_request("Stream?")) as answer:
                texts = [text async for text in answer]
            usage = answer.reply.usage
            return texts, usage.completion_tokens if usage else 0

    texts, tokens = asyncio.run(stream())
    assert len(texts) == tokens == 4
