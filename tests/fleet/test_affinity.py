"""What routing does to caching, against closed forms that need no simulator.

Each of many prefixes is asked for R times over n instances, the cache never full. At home, only the first of the R
misses. At random, so does the first on each instance that the prefix reaches: n (1 - (1 - 1/n)^R) of them on average.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from warmroute.fleet import KvCache, PrefixAware, Prompt, Random, RoutingRequest, Strategy, prompt_blocks

INSTANCES, PREFIXES = 7, 600
SHARED = 31 / 32
"""Part of each prompt that its prefix makes up."""


@dataclass
class Instance:
    id: str
    in_flight: int = 0
    kv_cache: KvCache = field(default_factory=lambda: KvCache(1_000_000))


def hit_rate(strategy: Strategy, uses: int) -> float:
    instances = [Instance(f"i-{number}") for number in range(INSTANCES)]
    found = asked = 0
    for use in range(uses):
        for prefix in range(PREFIXES):
            head = f"{prefix:08}" * (31 * 8)
            prompt: Prompt = prompt_blocks(head + f"{use:064}")
            chosen = strategy.choose(RoutingRequest(head[:1_024].encode()), instances).target
            found += chosen.kv_cache.replay(prompt)
            asked += prompt.tokens
    return found / asked


@pytest.mark.parametrize("uses", [2, 5])
def test_at_home_only_the_first_request_of_a_prefix_misses(uses):
    assert hit_rate(PrefixAware(16), uses) == pytest.approx(SHARED * (1 - 1 / uses))


@pytest.mark.parametrize("uses", [2, 5])
def test_at_random_the_first_request_misses_on_each_instance(uses):
    reached = INSTANCES * (1 - (1 - 1 / INSTANCES) ** uses)
    assert hit_rate(Random(seed=3), uses) == pytest.approx(SHARED * (1 - reached / uses), abs=0.02)
