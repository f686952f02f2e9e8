"""One request on the instance that routing chose for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from warmroute.fleet import Prompt, RoutingRequest
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


@dataclass(frozen=True, slots=True)
class Question:
    """A request that knows its fleet, and not yet its instance."""

    fleet: VariantFleet
    request: ContainerRequest
    key: bytes
    """Its routing key; what PREFIX_AWARE routing compares."""


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
    instance = choice.target
    headers = {"x-amzn-invoked-production-variant": fleet.variant.name, INSTANCE_HEADER: instance.id}
    instance.requests += 1
    if choice.overflowed and choice.home is not None:
        instance.overflows += 1
        headers[OVERFLOW_HEADER] = choice.home.id
    instance.in_flight += 1
    try:
        answer = await instance.engine.answer(request)
    except BaseException:
        instance.in_flight -= 1
        raise
    return Answer(instance, answer, headers)


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
        await answer.close()


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
    except TimeoutError:
        raise ContainerRefusal(0, f"The container did not answer within {seconds:.0f} seconds.") from None


class Answer:
    """The container's answer, on its way. Whoever has it closes it.

    Args:
        instance: It counts the request.
        answer: What its engine answers.
        headers: What the local endpoint says of the request.
    """

    def __init__(self, instance: Instance, answer: ContainerAnswer, headers: dict[str, str]) -> None:
        self.content_type = answer.content_type
        self.headers = {**answer.headers, **headers}
        self._instance = instance
        self._answer = answer
        self._closed = False

    async def parts(self) -> AsyncIterator[bytes]:
        """The answer, part by part.

        Raises:
            StreamBrokenError: The connection to the engine ended before the answer did.
        """
        try:
            async for part in self._answer:
                yield part
        except StreamBrokenError:
            self._instance.broken_streams += 1
            raise

    async def close(self) -> None:
        """Give up what is left of it; the instance counts the request no longer."""
        if not self._closed:
            self._closed = True
            self._instance.in_flight -= 1
            await self._answer.close()
