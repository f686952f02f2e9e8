"""The routers of a fleet: which engine each request goes to."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from warmroute.fleet.engine_copy import RoutingTarget
from warmroute.fleet.strategies import RoutingRequest, strategy_for

if TYPE_CHECKING:
    from warmroute.fleet.config import FleetConfig
    from warmroute.fleet.engine_copy import EngineCopy
    from warmroute.fleet.strategies import Choice
    from warmroute.fleet.workload import FleetRequest


class FrontEnds:
    """One router or several, each with its own strategy and its own counts.

    Args:
        config: The fleet.
        seed: Of the strategies, and of which router a request goes through.
    """

    def __init__(self, config: FleetConfig, seed: int) -> None:
        self._adapters = config.adapters
        self._chance = random.Random(seed)  # noqa: S311 - a repeatable sequence, not a secret one.
        seeds = [seed * 1_000_003 + number for number in range(config.front_ends)]
        self._strategies = [
            config.strategy(each) if config.strategy else strategy_for(config.routing, seed=each) for each in seeds
        ]
        self._targets: list[tuple[RoutingTarget, ...]] = [() for _ in seeds]
        self._by_adapter: dict[tuple[int, str], tuple[RoutingTarget, ...]] = {}
        self._copies: dict[str, EngineCopy] = {}

    def put_in_service(self, copies: list[EngineCopy]) -> None:
        """Route to these engines from now on, and to no others; those that stay keep their counts."""
        self._copies = {copy.id: copy for copy in copies}
        self._by_adapter = {}
        for number, targets in enumerate(self._targets):
            known = {target.id: target for target in targets}
            self._targets[number] = tuple(known.get(copy.id) or RoutingTarget(copy) for copy in copies)

    def choose(self, request: FleetRequest) -> Choice[RoutingTarget] | None:
        """Where a request goes; None while nothing can serve it."""
        strategies = self._strategies
        number = 0 if len(strategies) == 1 else self._chance.randrange(len(strategies))
        targets = self._targets[number]
        if request.adapter in self._adapters:
            targets = self._with_adapter(number, request.adapter)
        if not targets:
            return None
        copies, prompt = self._copies, request.prompt
        routed = RoutingRequest(request.key, lambda target: copies[target].engine.kv_cache.cached_tokens(prompt))
        return strategies[number].choose(routed, targets)

    def _with_adapter(self, number: int, adapter: str) -> tuple[RoutingTarget, ...]:
        known = self._by_adapter.get((number, adapter))
        if known is None:
            instances = set(self._adapters[adapter])
            known = tuple(target for target in self._targets[number] if target.copy.instance in instances)
            self._by_adapter[number, adapter] = known
        return known
