"""One request on the instance that routing chose for it."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING

from warmroute.fleet import EngineRequest, RoutingRequest, prompt_blocks
from warmroute.local.data.completion import Completion, Usage, Wording

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from warmroute.local.data.fleets import VariantFleet
    from warmroute.local.data.instance import Instance

INSTANCE_HEADER = "x-warmroute-instance"
"""Names the instance that served a request; SageMaker itself tells no client."""


class Answer:
    """The container's answer, on its way.

    Args:
        fleet: The instances to choose from.
        completion: The request.
        key: Its routing key; what PREFIX_AWARE routing compares.
    """

    def __init__(self, fleet: VariantFleet, completion: Completion, key: bytes) -> None:
        self._completion = completion
        self._id = uuid.uuid4().hex
        prompt = prompt_blocks(completion.text, salt=completion.cache_salt)
        by_id = {instance.id: instance for instance in fleet.instances}
        routed = RoutingRequest(key, lambda target: by_id[target].cached_tokens(prompt))
        self._instance: Instance = fleet.strategy.choose(routed, fleet.instances).target
        # An engine without a prefix cache finds nothing: each request is salted by itself.
        caches = self._instance.caches_prefixes
        self._prompt = prompt if caches else prompt_blocks(completion.text, salt=self._id)
        self.content_type = "text/event-stream" if completion.stream else "application/json"
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
