from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.fleet import FleetConfig, FleetRequest, PromptPieces, share_prompts, simulate
from warmroute.routing import RoutingConfig
from warmroute.tune.affinity import SharedTokens

SHARED, OWN = 1_600, 400


def questions(reuse: int, documents: int) -> tuple[SharedTokens, list[int]]:
    """Questions about documents, one after the other; a last token that no cache holds."""
    about = [document for document in range(documents) for _ in range(reuse)]
    prompts = share_prompts(
        PromptPieces(SHARED + OWN + 1, [(("document", document), SHARED), (("question", number), OWN)])
        for number, document in enumerate(about)
    )
    return SharedTokens([FleetRequest(0.0, prompt, 1) for prompt in prompts], block_size=16), about


@given(st.integers(1, 12), st.integers(1, 5), st.integers(2, 9))
def test_both_formulas_of_reuse(reuse: int, documents: int, instances: int) -> None:
    shared, about = questions(reuse, documents)
    part = SHARED / (SHARED + OWN + 1)
    without = part * (1 - instances * (1 - (1 - 1 / instances) ** reuse) / reuse)

    assert shared.hit_rate(about, instances) == pytest.approx(part * (1 - 1 / reuse))
    assert shared.hit_rate_without_affinity(instances) == pytest.approx(without)


@given(st.lists(st.integers(0, 3), min_size=20, max_size=20), st.integers(1, 8))
def test_no_placement_finds_more_than_one_cache_or_less_than_chance(keys: list[int], instances: int) -> None:
    shared, _ = questions(5, 4)

    found = shared.hit_rate(keys, instances)
    assert found <= shared.hit_rate_without_affinity(1) + 1e-9
    assert found >= shared.hit_rate_without_affinity(instances) - 1e-9


ROUTINGS = (
    RoutingConfig.random(),
    RoutingConfig.least_outstanding_requests(),
    RoutingConfig.prefix_aware(prefix_length=1_024, concurrency_threshold=2),
    RoutingConfig.kv_aware(),
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 0.5), st.lists(st.integers(0, 2), min_size=1, max_size=4)), min_size=2, max_size=30
    ),
    st.integers(1, 4),
    st.integers(0, 29),
    st.sampled_from(ROUTINGS),
)
def test_no_simulated_routing_finds_more_than_the_ceiling_of_the_same_requests(
    asked: list[tuple[float, list[int]]], instances: int, first: int, routing: RoutingConfig
) -> None:
    at, requests = 0.0, []
    for prompt, (pause, names) in zip(
        share_prompts(PromptPieces(200 * len(names) + 1, [(name, 200) for name in names]) for _, names in asked),
        asked,
        strict=True,
    ):
        at += pause
        requests.append(FleetRequest(at, prompt, 5, key=bytes([names[0]])))
    from_seconds = requests[first % len(requests)].arrival_seconds
    shared = SharedTokens(requests, block_size=16, from_seconds=from_seconds)

    simulated = simulate(requests, FleetConfig(instances=instances, routing=routing)).summary(from_seconds)
    assert simulated.hit_rate <= shared.hit_rate_without_affinity(1) + 1e-9
    whole = SharedTokens(requests, block_size=16)
    assert simulate(requests, FleetConfig(instances=instances, routing=routing)).summary().hit_rate <= (
        whole.hit_rate_without_affinity(1) + 1e-9
    )
