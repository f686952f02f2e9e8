"""Sends requests to an endpoint at their planned times and records what came back."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.client import sagemaker
from warmroute.errors import LocalEndpointError
from warmroute.prefix import canonical_json, routing_key
from warmroute.traffic.bodies.blocks import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boto3.session import Session

    from warmroute.traffic import TrafficRequest

_CONNECTIONS = 64


@dataclass(frozen=True, slots=True)
class Arm:
    """One endpoint that requests are sent to."""

    session: Session
    """Credentials, region and address of the API."""

    endpoint: str
    """Name of the endpoint."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request met."""

    key: bytes
    """Digest of the routing key; equal for requests that share a beginning."""

    instance: str
    """Instance that served it, which only the local endpoint tells."""

    prompt_tokens: int
    cached_tokens: int
    """Prompt tokens found in the engine's KV cache."""

    overflowed: bool
    """Whether it went elsewhere than where its prefix lives."""

    ttft_seconds: float
    """From the planned send time to the first part of the answer."""


def run_arm(
    arm: Arm,
    requests: Sequence[TrafficRequest],
    *,
    prefix_length: int,
    requests_per_second: float,
    seed: int = 7,
    on_answer: Callable[[int], None] = lambda _: None,
) -> list[Answer]:
    """Send every request open loop, with exponential gaps, and wait for the answers.

    Args:
        arm: Where to send them.
        requests: What to send, in order; chat requests with their bodies.
        prefix_length: Bytes of the body by which requests are grouped in the result.
        requests_per_second: Mean rate.
        seed: Of the gaps.
        on_answer: Told at each answer how many there are, from the thread that got it.

    Raises:
        LocalEndpointError: The endpoint refused a request, or went away.
    """
    from botocore.exceptions import BotoCoreError, ClientError
    from urllib3.exceptions import HTTPError

    client = _client(arm)
    rng = random.Random(seed)  # noqa: S311 - gaps, not secrets.
    start = time.perf_counter()
    planned, answered = 0.0, count(1)
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        sent = []
        for request in requests:
            planned += rng.expovariate(requests_per_second)
            time.sleep(max(0.0, start + planned - time.perf_counter()))
            sent.append(pool.submit(_ask, client, arm.endpoint, request, prefix_length, start + planned))
            sent[-1].add_done_callback(lambda _: on_answer(next(answered)))
        try:
            return [future.result() for future in sent]
        except (BotoCoreError, ClientError, HTTPError) as error:  # The last one, in the middle of a stream.
            pool.shutdown(cancel_futures=True)
            raise LocalEndpointError(f"Endpoint {arm.endpoint} stopped answering: {error}.") from error


def _client(arm: Arm) -> Any:
    from botocore.config import Config

    config = Config(max_pool_connections=_CONNECTIONS, retries={"max_attempts": 0})
    return sagemaker.install(arm.session.client("sagemaker-runtime", config=config))


def _ask(client: Any, endpoint: str, request: TrafficRequest, prefix_length: int, planned: float) -> Answer:
    body = {
        **orjson.loads(request.body or b"{}"),
        "max_tokens": request.output_tokens or max(1, (request.output_characters or 0) // CHARACTERS_PER_TOKEN),
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    key = routing_key(canonical_json(body), api="invoke", prefix_length=prefix_length)
    response = client.invoke_endpoint_with_response_stream(EndpointName=endpoint, Body=body)
    first, received = 0.0, bytearray()
    for event in response["Body"]:
        first = first or time.perf_counter()
        received += event["PayloadPart"]["Bytes"]
    usage, headers = _usage(bytes(received)), response["ResponseMetadata"]["HTTPHeaders"]
    return Answer(
        key=key.digest,
        instance=headers["x-warmroute-instance"],
        prompt_tokens=usage["prompt_tokens"],
        cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
        overflowed="x-warmroute-overflow" in headers,
        ttft_seconds=first - planned,
    )


def _usage(stream: bytes) -> dict[str, Any]:
    """The usage that the last chunk of a stream of server-sent events carries."""
    chunks = [line[6:] for line in stream.split(b"\n") if line.startswith(b"data: {")]
    usage: dict[str, Any] = orjson.loads(chunks[-1])["usage"]
    return usage
