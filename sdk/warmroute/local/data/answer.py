"""One request on the instance that routing chose for it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from warmroute.fleet import Prompt, RoutingRequest
from warmroute.local.data.instance import Failure
from warmroute.local.engines import ContainerRefusal, StreamBrokenError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

    from warmroute.local.data.fleets import VariantFleet
    from warmroute.local.data.instance import Instance
    from warmroute.local.engines import ContainerAnswer, ContainerRequest

Result = TypeVar("Result")

INSTANCE_HEADER = "x-warmroute-instance"
"""Names the instance that served a request; SageMaker itself tells no client."""

OVERFLOW_HEADER = "x-warmroute-overflow"
"""Names the instance where the prefix of a request lives, when another one served it."""


KEY_HEADER = "x-warmroute-key"
"""The routing key of a request in hexadecimal, where routing compares prefixes."""


@dataclass(slots=True)
class Question:
    """A request that knows its fleet, and not yet its instance."""

    fleet: VariantFleet
    request: ContainerRequest
    key: bytes
    """Its routing key; what PREFIX_AWARE routing compares."""

    instance: Instance | None = field(default=None, init=False)
    """What routing has chosen for it."""


async def answer_to(question: Question) -> Answer:
    """The answer to a request, once it has begun.

    Its instance is chosen at once and counts it until the answer is closed.

    Args:
        question: The request.

    Raises:
        Refusal: No instance is in service.
        ContainerRefusal: The container answers with an error.
    """
    fleet, request = question.fleet, question.request
    targets = fleet.targets()
    by_id = {instance.id: instance for instance in targets}
    prompt = request.prompt or Prompt(1)
    routed = RoutingRequest(question.key, lambda target: by_id[target].engine.cached_tokens(prompt))
    choice = fleet.strategy.choose(routed, targets)
    instance = question.instance = choice.target
    headers = {"x-amzn-invoked-production-variant": fleet.variant.name, INSTANCE_HEADER: instance.id}
    if question.key:
        headers[KEY_HEADER] = question.key.hex()
    instance.requests += 1
    if choice.overflowed and choice.home is not None:
        instance.overflows += 1
        choice.home.sent_away += 1
        headers[OVERFLOW_HEADER] = choice.home.id
    instance.in_flight += 1
    began = time.monotonic()
    try:
        answer = await instance.engine.answer(request)
    except BaseException as error:
        instance.in_flight -= 1
        if isinstance(error, ContainerRefusal):
            instance.failures[_kind(error)] += 1
        raise
    return Answer(instance, answer, headers, began)


async def whole(question: Question) -> tuple[Answer, bytes]:
    """The answer to a request, and its whole body.

    Args:
        question: The request.

    Raises:
        Refusal: No instance is in service.
        ContainerRefusal: The container answers with an error, or its answer ends before it is whole.
    """
    answer = await answer_to(question)
    try:
        return answer, b"".join([part async for part in answer.parts()])
    except StreamBrokenError as error:
        raise ContainerRefusal(0, str(error)) from None
    finally:
        await answer.release()


async def in_time(question: Question, work: Awaitable[Result]) -> Result:
    """The result of asking a container, which SageMaker waits for only so long.

    Args:
        question: The request.
        work: What is asked.

    Raises:
        ContainerRefusal: It took too long.
    """
    seconds = question.fleet.engines.answer_seconds
    try:
        async with asyncio.timeout(seconds):
            return await work
    except asyncio.CancelledError:
        _count(question, Failure.CLIENT_GONE)
        raise
    except TimeoutError:
        _count(question, Failure.TIMEOUT)
        raise ContainerRefusal(0, f"The container did not answer within {seconds:.0f} seconds.") from None


def _count(question: Question, failure: Failure) -> None:
    if question.instance is not None:
        question.instance.failures[failure] += 1


def _kind(refusal: ContainerRefusal) -> Failure:
    if refusal.status == 0:
        return Failure.NO_ANSWER
    return Failure.CONTAINER_4XX if refusal.status < 500 else Failure.CONTAINER_5XX


class Answer:
    """The container's answer, on its way. Whoever has it closes it.

    Args:
        instance: It counts the request.
        answer: What its engine answers.
        headers: What the local endpoint says of the request.
        began: When the instance was chosen, by `time.monotonic`.
    """

    def __init__(self, instance: Instance, answer: ContainerAnswer, headers: dict[str, str], began: float) -> None:
        self.content_type = answer.content_type
        self.headers = {**answer.headers, **headers}
        self._instance = instance
        self._answer = answer
        self._began = began
        self._ended = False
        self._closed = False

    @property
    def is_events(self) -> bool:
        """Whether it is a stream of server-sent events."""
        return self.content_type.startswith("text/event-stream")

    async def parts(self) -> AsyncIterator[bytes]:
        """The answer, part by part.

        Raises:
            StreamBrokenError: The connection to the engine ended before the answer did.
        """
        parts = aiter(self._answer)
        try:
            async for first in parts:
                if self.is_events:
                    self._instance.ttft.observe(self._began, time.monotonic())
                yield first
                break
            async for part in parts:
                yield part
        except StreamBrokenError:
            self._instance.failures[Failure.STREAM_BROKEN] += 1
            self._ended = True
            raise
        self._ended = True

    async def close(self) -> None:
        """Give up what is left of it; the instance counts the request no longer."""
        if not self._ended and not self._closed:
            self._instance.failures[Failure.CLIENT_GONE] += 1
        await self.release()

    async def release(self) -> None:
        """As `close`, where somebody else counts why it was given up."""
        if not self._closed:
            self._closed = True
            self._instance.in_flight -= 1
            await self._answer.close()
