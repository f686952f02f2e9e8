"""SageMaker's four routing strategies, for targets that are real, simulated, or both.

A strategy holds no clock and no counters: whoever owns the targets counts what is in flight and asks, request by
request, where the next one goes. What SageMaker does not document is a named parameter with a default.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol

from warmroute.fleet.placement import Pick, TargetT, anywhere, least_outstanding, remembered, rendezvous
from warmroute.routing_strategy import RoutingStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.routing import RoutingConfig


def _nothing_cached(_: str) -> int:
    return 0


class RoutingRequest(NamedTuple):
    """What a router knows of a request."""

    key: bytes = b""
    """What requests of one beginning share: bytes of the body, or of the message text, cut to the prefix length."""

    cached_tokens: Callable[[str], int] = _nothing_cached
    """Tokens of this prompt that the target of an id has in its KV cache; only `KvAware` asks."""


class Choice(NamedTuple, Generic[TargetT]):
    """Where a request goes, and whether that is where its prefix lives."""

    target: TargetT

    home: TargetT | None = None
    """Where the prefix lives; None when the strategy looked for no such place, or found none."""

    @property
    def overflowed(self) -> bool:
        """Whether the request was sent away from its home."""
        return self.home is not None and self.target is not self.home


class Strategy(Protocol):
    """Chooses the target that serves a request."""

    def choose(self, request: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """The target for one request.

        Args:
            request: What the router knows of it.
            targets: At least one that can serve it, in any order.
        """


class Random:
    """RANDOM: any target.

    Args:
        seed: Two strategies of one seed choose alike.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._chance = _chance(seed)

    def choose(self, request: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """Any target, each as likely as the others."""
        return Choice(anywhere(request.key, targets, self._chance))


class RoundRobin:
    """One target after the other; not a strategy of SageMaker, but of many load balancers."""

    def __init__(self) -> None:
        self._turn = -1

    def choose(self, _: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """The next target of the list."""
        self._turn = (self._turn + 1) % len(targets)
        return Choice(targets[self._turn])


class LeastOutstandingRequests:
    """LEAST_OUTSTANDING_REQUESTS: the target with the fewest requests in flight.

    Args:
        seed: Decides among equals.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._chance = _chance(seed)

    def choose(self, request: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """The target with the fewest requests in flight; among equals, any."""
        return Choice(least_outstanding(request.key, targets, self._chance))


class PrefixAware:
    """PREFIX_AWARE: the target that serves requests of the same beginning, unless it is busy.

    Documented by SageMaker: a target is busy once its requests in flight reach the threshold; the strategy acts
    only with two or more targets; few prefixes move when a target comes or goes. Not documented, so assumed here:
    the three ways to pick.

    Args:
        concurrency_threshold: Requests in flight at which a target is busy.
        placement: Assumption: which target is the home of a key.
        overflow: Assumption: which of the targets that are not busy stands in for a busy home. ``rendezvous``
            gives each key a stable second home instead.
        when_all_busy: Assumption: which target takes a request when every one is busy.
        seed: Decides where a way to pick leaves it to chance.
    """

    def __init__(
        self,
        concurrency_threshold: int,
        *,
        placement: Pick = rendezvous,
        overflow: Pick = least_outstanding,
        when_all_busy: Pick = least_outstanding,
        seed: int = 0,
    ) -> None:
        self._concurrency_threshold = concurrency_threshold
        self._placement = remembered(placement) if placement is rendezvous else placement
        self._overflow = overflow
        self._when_all_busy = when_all_busy
        self._chance = _chance(seed)

    def choose(self, request: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """The home of the key; when it is busy, another target."""
        if len(targets) < 2:
            return Choice(targets[0])
        home = self._placement(request.key, targets, self._chance)
        if home.in_flight < self._concurrency_threshold:
            return Choice(home, home)
        not_busy = [target for target in targets if target.in_flight < self._concurrency_threshold]
        if not_busy:
            return Choice(self._overflow(request.key, not_busy, self._chance), home)
        return Choice(self._when_all_busy(request.key, targets, self._chance), home)


class KvAware:
    """KV_AWARE: the target whose KV cache holds the most of the prompt, weighed against how busy it is.

    Documented by SageMaker: the match is weighed against how busy a target is; without a warm target that is not
    too busy, it behaves like LEAST_OUTSTANDING_REQUESTS. Not documented, so assumed here: the weight. A target is
    worth its cached tokens less ``tokens_per_request`` for each request that it has in flight more than the idlest
    target; one that is worth nothing is too busy.

    The caller's `RoutingRequest.cached_tokens` is taken as true at once. A real index lags, and a target that has
    just started holds nothing, so it fills slowly: both make this an upper bound.

    Args:
        tokens_per_request: Assumption: cached tokens that outweigh one more request in flight. 512 tokens are 12 ms
            of prefill by `LLAMA_3_1_70B_8XH100`; in simulation anything from 5 to 20 ms served equally well.
        seed: Decides among equals.
    """

    def __init__(self, *, tokens_per_request: int = 512, seed: int = 0) -> None:
        self._tokens_per_request = tokens_per_request
        self._chance = _chance(seed)

    def choose(self, request: RoutingRequest, targets: Sequence[TargetT]) -> Choice[TargetT]:
        """The target that is worth most; without one, the idlest. The home is the warmest of all, however busy."""
        fewest = min(target.in_flight for target in targets)
        home = best = None
        warmest = best_worth = 0
        for target in targets:
            cached = request.cached_tokens(target.id)
            if cached > warmest or (home is not None and cached == warmest and target.in_flight < home.in_flight):
                home, warmest = target, cached
            worth = cached - self._tokens_per_request * (target.in_flight - fewest)
            if worth > best_worth:
                best, best_worth = target, worth
        if best is None:
            best = least_outstanding(request.key, targets, self._chance)
        return Choice(best, home)


def strategy_for(routing: RoutingConfig | None, *, seed: int = 0) -> Strategy:
    """The strategy that a variant is configured for, with the default assumptions.

    Args:
        routing: The variant's routing; None means RANDOM, as SageMaker has it.
        seed: Two strategies of one seed choose alike.
    """
    strategy = routing.routing_strategy if routing else RoutingStrategy.RANDOM
    if routing and routing.prefix_aware_routing_config:
        return PrefixAware(routing.prefix_aware_routing_config.concurrency_threshold, seed=seed)
    if strategy is RoutingStrategy.KV_AWARE:
        return KvAware(seed=seed)
    if strategy is RoutingStrategy.LEAST_OUTSTANDING_REQUESTS:
        return LeastOutstandingRequests(seed=seed)
    return Random(seed=seed)


def _chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - routing needs a repeatable sequence, not a secret one.
