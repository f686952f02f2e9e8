"""An instance: one engine driven in real time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from warmroute.fleet import (
    BLOCK_SIZE,
    LLAMA_3_1_70B_8XH100,
    CostModel,
    Engine,
    EngineRequest,
    KvCache,
    RequestRefusedError,
)
from warmroute.hosting.environment import flag, number, text
from warmroute.local.data.failures import model_error

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from warmroute.fleet import Prompt

DEFAULT_MAX_NUM_SEQS = 1_024
DEFAULT_MAX_NUM_BATCHED_TOKENS = 8_192
"""vLLM's defaults for an API server on GPUs of 70 GiB and more, where the environment sets none.

Source: ``vllm/engine/arg_utils.py``.
"""


class Instance:
    """One instance, or one component copy: an engine and the requests that it has in flight.

    Args:
        id: Name of the instance.
        environment: The container's variables; ``SM_VLLM_MAX_NUM_SEQS`` and its like set the engine up.
        speed: How many times faster than real engines it runs.
        cost_model: How long a step takes.
    """

    def __init__(
        self,
        id: str,  # noqa: A002
        environment: Mapping[str, str],
        *,
        speed: float,
        cost_model: CostModel = LLAMA_3_1_70B_8XH100,
    ) -> None:
        self.id = id
        self.in_flight = 0
        """Requests that it was given and has not finished; what routing counts."""
        self.caches_prefixes = flag(environment, "enable_prefix_caching") is not False
        self.reports_cached_tokens = flag(environment, "enable_prompt_tokens_details") is True
        self.model = text(environment, "served_model_name") or text(environment, "model") or "/opt/ml/model"
        """The name that answers give the model."""
        self._speed = speed
        self._cost_model = cost_model
        self._cache = KvCache(cost_model.kv_cache_tokens // BLOCK_SIZE)
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

    async def generate(self, request: EngineRequest[str]) -> AsyncGenerator[tuple[int, int], None]:
        """Serve one request.

        Yields:
            Each time that tokens are out: how many, and how many prompt tokens were found in the cache.

        Raises:
            Refusal: The engine can never serve it.
        """
        await asyncio.sleep(self._cost_model.request_seconds / self._speed)
        try:
            self._engine.add(request)
        except RequestRefusedError as error:
            raise model_error(400, error.message) from None
        stream = self._streams[request.id] = asyncio.Queue()
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())
        left, cached = request.output_tokens, 0
        try:
            while left:
                tokens, found = await stream.get()
                cached = cached if found is None else found
                left -= tokens
                yield tokens, cached
        finally:
            del self._streams[request.id]
            self._engine.cancel(request.id)

    async def _drive(self) -> None:
        while self._engine.has_work:
            step = self._engine.step()
            await asyncio.sleep(step.seconds / self._speed)
            for request_id, tokens in step.tokens.items():
                if request_id in self._streams:
                    self._streams[request_id].put_nowait((tokens, step.started.get(request_id)))
