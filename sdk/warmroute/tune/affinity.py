"""Hit rates in closed form: what caches without a limit would find, by how requests are placed.

With n instances, a piece that k requests have brought to instances at random is on a given one with a chance of
1 - (1 - 1/n)^k. For R requests that share a part s of their tokens this is s(1 - n(1 - (1 - 1/n)^R)/R) without
affinity, and s(1 - 1/R) when all go to one instance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from warmroute.fleet import FleetRequest, Prompt


class SharedTokens:
    """What the prompts of requests have in common.

    Args:
        requests: In order of arrival.
        block_size: Tokens to a block of the prompts.
        from_seconds: Hit rates are those of what arrives from this time on; what came before has filled the caches.
    """

    def __init__(self, requests: Sequence[FleetRequest], *, block_size: int, from_seconds: float = 0.0) -> None:
        occurrences = Counter(segment for _, prompt, *_ in requests for segment in prompt.segments)
        self._first = bisect_left(requests, from_seconds, key=itemgetter(0))
        self._tokens = sum(prompt.tokens for _, prompt, *_ in requests[self._first :])
        self._shared = [
            [
                (segment, tokens)
                for segment, tokens in _tokens_of_segments(prompt, block_size)
                if occurrences[segment] > 1
            ]
            for _, prompt, *_ in requests
        ]

    def hit_rate_without_affinity(self, instances: int) -> float:
        """Part of all prompt tokens that RANDOM would find.

        Args:
            instances: Instances of the fleet; 1 for the most that any routing can find.
        """
        return self.hit_rate(range(len(self._shared)), instances)

    def hit_rate(self, keys: Sequence[Hashable], instances: int) -> float:
        """Part of all prompt tokens found if requests of one key go to one instance.

        Args:
            keys: What key each request has; keys are spread over the instances at random.
            instances: Instances of the fleet.
        """
        elsewhere = 1 - 1 / instances
        brought_by: dict[Hashable, set[Hashable]] = {}
        found = 0.0
        for position, (shared, key) in enumerate(zip(self._shared, keys, strict=True)):
            counts = position >= self._first
            for segment, tokens in shared:
                brought = brought_by.get(segment)
                if brought is None:
                    brought_by[segment] = {key}
                elif key in brought:
                    found += counts * tokens
                else:
                    found += counts * tokens * (1 - elsewhere ** len(brought))
                    brought.add(key)
        return found / self._tokens if self._tokens else 0.0


def _tokens_of_segments(prompt: Prompt, block_size: int) -> Iterator[tuple[Hashable, int]]:
    """What of each segment a request can find: the last token of a prompt is computed in any case."""
    begin = 0
    usable = (prompt.tokens - 1) // block_size
    for segment, end in zip(prompt.segments, prompt.ends, strict=True):
        yield segment, max(0, min(end, usable) - begin) * block_size
        begin = end
