"""One request on the instance that routing chose for it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warmroute.fleet import EngineRequest, Prompt, RoutingRequest, prompt_blocks
from warmroute.local.data.wording import Usage, Wording

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from warmroute.local.data.completion import Completion
    from warmroute.local.data.fleets import VariantFleet
    from warmroute.local.data.instance import Instance

INSTANCE_HEADER = "x-warmroute-instance"
"""Names the instance that served a request; SageMaker itself tells no client."""

_LONG_TEXT = 200_000
"""Characters from which a prompt is hashed aside, so that other requests need not wait: some milliseconds' work."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request that knows its fleet, and not yet its instance."""

    fleet: VariantFleet
    completion: Completion
    prompt: Prompt
    key: bytes
    """Its routing key; what PREFIX_AWARE routing compares."""


async def prompt_of(completion: Completion, adapter: str) -> Prompt:
    """A request's prompt, as the prefix caches of a fleet see it.

    Args:
        completion: The request.
        adapter: The LoRA adapter that it asks for; empty for none.
    """
    # No adapter's name has a NUL in it, so that none can be mistaken for the beginning of a salt.
    salt = f"{adapter}\0{completion.cache_salt}"
    if len(completion.text) < _LONG_TEXT:
        return prompt_blocks(completion.text, salt=salt)
    return await asyncio.to_thread(prompt_blocks, completion.text, salt=salt)


class Answer:
    """The container's answer, on its way.

    Args:
        question: The request. Its instance is chosen now, and counts it from the first part on: ask for that at once.
    """

    def __init__(self, question: Question) -> None:
        fleet = question.fleet
        self._completion = question.completion
        self._id = uuid.uuid4().hex
        by_id = {instance.id: instance for instance in fleet.instances}
        routed = RoutingRequest(question.key, lambda target: by_id[target].cached_tokens(question.prompt))
        self._instance: Instance = fleet.strategy.choose(routed, fleet.instances).target
        # An engine without a prefix cache neither finds blocks nor leaves any.
        self._prompt = question.prompt if self._instance.caches_prefixes else Prompt(question.prompt.tokens)
        self.content_type = "text/event-stream" if self._completion.stream else "application/json"
        self.headers = {
            "x-amzn-invoked-production-variant": fleet.variant.name,
            INSTANCE_HEADER: self._instance.id,
        }

    async def parts(self) -> AsyncGenerator[bytes, None]:
        """The answer, part by part: one event a token where it streams, else one piece.

        Raises:
            Refusal: The engine can never serve the request.
        """
        wording = Wording(self._completion, f"chatcmpl-{self._id}", self._instance.model)
        request = EngineRequest(self._id, self._prompt, self._completion.output_tokens)
        sent = cached = 0
        self._instance.in_flight += 1
        try:
            async with contextlib.aclosing(self._instance.generate(request)) as tokens:
                async for count, cached in tokens:  # noqa: B007 - the last one is reported.
                    if self._completion.stream:
                        yield wording.chunk(sent, count, last=sent + count == request.output_tokens)
                    sent += count
            usage = Usage(self._prompt.tokens, sent, cached if self._instance.reports_cached_tokens else None)
            yield wording.end(usage) if self._completion.stream else wording.whole(usage)
        finally:
            self._instance.in_flight -= 1
