"""The simulated engine: one of ``fleet/`` driven in real time, and the container around it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, ClassVar

from warmroute.fleet import (
    BLOCK_SIZE,
    LLAMA_3_1_70B_8XH100,
    CostModel,
    Engine,
    EngineRequest,
    KvCache,
    Prompt,
    RequestRefusedError,
)
from warmroute.hosting.environment import flag, number, text
from warmroute.local.engines.completion import read_chat_completion, read_completion
from warmroute.local.engines.container import CHAT_COMPLETIONS, ContainerRefusal, ContainerRequest, EngineCounts
from warmroute.local.engines.prompts import prompt_of
from warmroute.local.engines.wording import Usage, Wording
from warmroute.measure.run import SIMULATED

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from warmroute.local.engines.completion import Completion

DEFAULT_MAX_NUM_SEQS = 1_024
DEFAULT_MAX_NUM_BATCHED_TOKENS = 8_192
"""vLLM's defaults for an API server on GPUs of 70 GiB and more, where the environment sets none.

Source: ``vllm/engine/arg_utils.py``.
"""

_SOFTWARE = f"{SIMULATED} by warmroute {version('warmroute')}"


class SimulatedEngines:
    """Engines that compute nothing but the time that they would take.

    Args:
        speed: How many times faster than real engines they run.
    """

    most: ClassVar[None] = None
    answer_seconds: ClassVar[None] = None

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed

    def start(self, id: str, number: int, environment: Mapping[str, str]) -> SimulatedEngine:  # noqa: A002, ARG002
        """An engine, in service at once."""
        return SimulatedEngine(environment, speed=self._speed)

    async def read(self, request: ContainerRequest, *, weighs_caches: bool) -> ContainerRequest:  # noqa: ARG002
        """A request as the container reads it.

        Raises:
            ContainerRefusal: It is malformed.
        """
        read = read_chat_completion if request.path == CHAT_COMPLETIONS else read_completion
        completion = read(request.body)
        return replace(request, completion=completion, prompt=await prompt_of(completion, request.adapter))

    async def close(self) -> None:
        """Nothing is left of them."""


class SimulatedEngine:
    """One engine, in its container.

    Args:
        environment: The container's variables; ``SM_VLLM_MAX_NUM_SEQS`` and its like set the engine up.
        speed: How many times faster than real engines it runs.
        cost_model: How long a step takes.
    """

    in_service: ClassVar[bool] = True

    def __init__(
        self, environment: Mapping[str, str], *, speed: float, cost_model: CostModel = LLAMA_3_1_70B_8XH100
    ) -> None:
        self.caches_prefixes = flag(environment, "enable_prefix_caching") is not False
        self.reports_cached_tokens = flag(environment, "enable_prompt_tokens_details") is True
        self.model = text(environment, "served_model_name") or text(environment, "model") or "/opt/ml/model"
        """The name that answers give the model."""
        self._speed = speed
        self._cost_model = cost_model
        self._blocks = cost_model.kv_cache_tokens // BLOCK_SIZE
        self._cache = KvCache(self._blocks)
        self._queried_tokens = self._hit_tokens = 0
        self._engine: Engine[str] = Engine(
            cost_model,
            self._cache,
            max_num_seqs=number(environment, "max_num_seqs") or DEFAULT_MAX_NUM_SEQS,
            max_num_batched_tokens=number(environment, "max_num_batched_tokens") or DEFAULT_MAX_NUM_BATCHED_TOKENS,
        )
        self._streams: dict[str, asyncio.Queue[tuple[int, int | None]]] = {}
        self._driver: asyncio.Task[None] | None = None

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens of a prompt that its KV cache holds now."""
        return self._cache.cached_tokens(prompt)

    async def counts(self) -> EngineCounts:
        """What it has counted."""
        usage = self._cache.held_blocks / self._blocks
        return EngineCounts(self._queried_tokens, self._hit_tokens, self._engine.waiting, usage, _SOFTWARE)

    async def answer(self, request: ContainerRequest) -> SimulatedAnswer:
        """Serve a request, up to the first part of its answer.

        Raises:
            ContainerRefusal: The engine can never serve it.
        """
        completion, prompt = request.completion, request.prompt
        if completion is None or prompt is None:
            raise ContainerRefusal(400, "The request was not read.")
        # An engine without a prefix cache neither finds blocks nor leaves any.
        parts = self._parts(completion, prompt if self.caches_prefixes else Prompt(prompt.tokens))
        content_type = "text/event-stream" if completion.stream else "application/json"
        return SimulatedAnswer(content_type, await anext(parts), parts)

    def release(self) -> None:
        """It ends by itself, with its requests."""

    async def _parts(self, completion: Completion, prompt: Prompt) -> AsyncGenerator[bytes, None]:
        """The answer, part by part: one event a token where it streams, else one piece."""
        id_ = uuid.uuid4().hex
        wording = Wording(completion, f"chatcmpl-{id_}", self.model)
        request = EngineRequest(id_, prompt, completion.output_tokens)
        sent = cached = 0
        async with contextlib.aclosing(self.generate(request)) as tokens:
            async for count, cached in tokens:  # noqa: B007 - the last one is reported.
                if completion.stream:
                    yield wording.chunk(sent, count, last=sent + count == request.output_tokens)
                sent += count
        usage = Usage(prompt.tokens, sent, cached if self.reports_cached_tokens else None)
        yield wording.end(usage) if completion.stream else wording.whole(usage)

    async def generate(self, request: EngineRequest[str]) -> AsyncGenerator[tuple[int, int], None]:
        """Serve one request.

        Yields:
            Each time that tokens are out: how many, and how many prompt tokens were found in the cache.

        Raises:
            ContainerRefusal: The engine can never serve it.
        """
        await asyncio.sleep(self._cost_model.request_seconds / self._speed)
        try:
            self._engine.add(request)
        except RequestRefusedError as error:
            raise ContainerRefusal(400, error.message) from None
        stream = self._streams[request.id] = asyncio.Queue()
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())
        left, cached = request.output_tokens, 0
        try:
            while left:
                tokens, found = await stream.get()
                if found is not None:  # Its first token: what vLLM counts when it first schedules a request.
                    cached = found
                    self._count(request.prompt.tokens, found)
                left -= tokens
                yield tokens, cached
        finally:
            del self._streams[request.id]
            self._engine.cancel(request.id)

    def _count(self, queried_tokens: int, hit_tokens: int) -> None:
        if self.caches_prefixes:
            self._queried_tokens += queried_tokens
            self._hit_tokens += hit_tokens

    async def _drive(self) -> None:
        while self._engine.has_work:
            step = self._engine.step()
            await asyncio.sleep(step.seconds / self._speed)
            for request_id, tokens in step.tokens.items():
                if request_id in self._streams:
                    self._streams[request_id].put_nowait((tokens, step.started.get(request_id)))


class SimulatedAnswer:
    """An answer whose first part is out: from here on, nothing but a fault can end it early.

    Args:
        content_type: Its Content-Type.
        first: Its first part.
        rest: The parts that follow.
    """

    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, content_type: str, first: bytes, rest: AsyncGenerator[bytes, None]) -> None:
        self.content_type = content_type
        self._first = first
        self._rest = rest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The answer, part by part."""
        yield self._first
        async for part in self._rest:
            yield part

    async def close(self) -> None:
        """Take the request out of the engine."""
        await self._rest.aclose()
