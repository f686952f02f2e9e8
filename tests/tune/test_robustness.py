from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from warmroute.fleet import EngineProfile, FleetConfig, FleetRequest, Prompt, PromptPieces, share_prompts
from warmroute.routing import RoutingConfig
from warmroute.traffic import poisson_arrivals
from warmroute.tune import Workload
from warmroute.tune.robustness import Robustness
from warmroute.tune.search import _chosen
from warmroute.tune.trials import Trials

REQUESTS = [FleetRequest(float(at), Prompt(100), 10) for at in range(300)]


@dataclass
class Hits:
    hit_rate: float


@dataclass
class FakeTrials:
    """A fleet that overflows for good below a threshold, once something has happened to it."""

    stuck_below: int
    lost_to_all: float = 0.0
    seen: list[list[float]] = field(default_factory=list)

    def requests(self, *_: Any, **__: Any) -> list[FleetRequest]:
        return REQUESTS

    def run_requests(self, requests: Any, routing: RoutingConfig, *, changes: Any, **_: Any) -> Any:
        assert routing.prefix_aware_routing_config is not None
        self.seen.append([request.arrival_seconds for request in requests])
        is_ramped = requests[100].arrival_seconds > 100
        is_stuck = routing.prefix_aware_routing_config.concurrency_threshold < self.stuck_below and not is_ramped
        hit_rate = 0.9 - 0.5 * is_stuck - self.lost_to_all * bool(changes)
        return type("Result", (), {"summary": lambda *_: Hits(hit_rate)})()


def robustness(trials: FakeTrials, instances: int = 4) -> Robustness:
    return Robustness(trials, 4_096, instances=instances, to_seconds=300, seed=0)  # type: ignore[arg-type]


def test_a_threshold_that_leaves_the_fleet_overflowing_collapses() -> None:
    tested = robustness(FakeTrials(stuck_below=32))

    assert tested.collapses(16, 1_024) == tested.names
    assert tested.collapses(32, 1_024) == ()
    assert len(tested.names) == 4


class KeysOfDocuments(NamedTuple):
    about: list[int]

    def keys(self, _: int) -> list[int]:
        return self.about


def test_a_simulated_fleet_overflows_for_good_after_a_burst_at_a_low_threshold_and_recovers_above() -> None:
    """Three instances whose caches together hold all documents, and one alone half of them."""
    chance = random.Random(1)
    times = list(poisson_arrivals(18, 60, seed=1))
    about = [chance.randrange(100) for _ in times]
    prompts = share_prompts(
        PromptPieces(8_300, [(document, 8_000), (("question", number), 300)]) for number, document in enumerate(about)
    )
    requests = tuple(FleetRequest(at, prompt, 200) for at, prompt in zip(times, prompts, strict=True))
    work = Workload(requests, tuple(range(len(times))), tuple(range(len(times))), ())
    cost_model = EngineProfile().cost_model.model_copy(update={"kv_cache_tokens": 400_000})
    fleet = FleetConfig(instances=3, profile=EngineProfile(cost_model=cost_model))
    trials = Trials(work, fleet, KeysOfDocuments(about))  # type: ignore[arg-type]
    tested = Robustness(trials, 4_096, instances=3, to_seconds=60, seed=0)

    assert "a burst of 2 times the rate" in tested.collapses(48, 1_024)
    assert tested.collapses(512, 1_024) == ()


def test_what_no_threshold_could_keep_is_not_held_against_one() -> None:
    assert robustness(FakeTrials(stuck_below=0, lost_to_all=0.3)).collapses(16, 1_024) == ()


def test_two_instances_are_not_left_with_one() -> None:
    assert "an instance lost" not in robustness(FakeTrials(0), instances=2).names


def test_a_burst_keeps_order_and_saves_half_of_its_time() -> None:
    trials = FakeTrials(0)
    robustness(trials).collapses(1_024, 1_024)
    burst = next(times for times in trials.seen if times[-1] < 299)

    assert burst == sorted(burst)
    assert burst[-1] == pytest.approx(299 - 29.9)
    assert burst[120] - burst[100] == pytest.approx(10, abs=0.5)


@pytest.mark.parametrize(
    ("good", "safe", "wanted", "chosen"),
    [
        ((8, 16, 32, 1_024), (16, 32, 1_024), 20, 32),  # The least that is good, safe and high enough.
        ((8, 16), (16, 32), 20, 16),  # None is high enough: the largest good and safe one.
        ((8,), (32, 64), 20, 32),  # None is both: a safe one.
        ((8, 16), (), 20, 16),  # None is safe.
    ],
)
def test_what_collapses_is_chosen_only_where_all_do(
    good: tuple[int, ...], safe: tuple[int, ...], wanted: float, chosen: int
) -> None:
    assert _chosen(good, safe, wanted) == chosen
