from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import (
    KvAware,
    LeastOutstandingRequests,
    PrefixAware,
    Random,
    RoutingRequest,
    Strategy,
    rendezvous,
    strategy_for,
)
from warmroute.routing import RoutingConfig


@dataclass
class Instance:
    id: str
    in_flight: int = 0


def fleet(*in_flight: int) -> list[Instance]:
    return [Instance(f"i-{number}", count) for number, count in enumerate(in_flight)]


def keys(count: int) -> list[bytes]:
    return [f"prompt {number}".encode() for number in range(count)]


def homes(targets: list[Instance], count: int) -> dict[bytes, str]:
    strategy = PrefixAware(8)
    return {key: strategy.choose(RoutingRequest(key), targets).target.id for key in keys(count)}


fleets = st.lists(st.integers(0, 12), min_size=2, max_size=9).map(lambda counts: fleet(*counts))
prefix_keys = st.binary(max_size=64)


class TestPrefixAware:
    @given(prefix_keys, fleets, st.randoms(use_true_random=False))
    def test_a_key_stays_at_home_below_the_threshold_in_whatever_order_the_fleet_is_listed(self, key, targets, chance):
        home = PrefixAware(10).choose(RoutingRequest(key), targets).home
        home.in_flight = 9
        chance.shuffle(targets)
        choice = PrefixAware(10, seed=1).choose(RoutingRequest(key), targets)
        assert choice.target is choice.home is home
        assert not choice.overflowed

    @given(prefix_keys, fleets, st.integers(1, 12))
    def test_a_busy_home_overflows_to_the_least_outstanding(self, key, targets, threshold):
        home = PrefixAware(threshold).choose(RoutingRequest(key), targets).home
        home.in_flight = threshold
        choice = PrefixAware(threshold).choose(RoutingRequest(key), targets)
        assert choice.home is home
        assert choice.target.in_flight == min(target.in_flight for target in targets)
        if any(target.in_flight < threshold for target in targets):
            assert choice.overflowed

    def test_when_all_are_busy_the_least_outstanding_takes_it_however_busy(self):
        choice = PrefixAware(2).choose(RoutingRequest(b"key"), fleet(7, 5, 9))
        assert choice.target.id == "i-1"

    @given(prefix_keys, fleets)
    def test_overflow_by_rendezvous_gives_a_stable_second_home(self, key, targets):
        home = PrefixAware(99).choose(RoutingRequest(key), targets).home
        home.in_flight = 99
        strategy = PrefixAware(99, overflow=rendezvous)
        first = strategy.choose(RoutingRequest(key), targets)
        first.target.in_flight += 1
        assert first.overflowed
        assert strategy.choose(RoutingRequest(key), targets).target is first.target

    def test_it_does_not_act_on_a_single_target(self):
        (only,) = targets = fleet(50)
        choice = PrefixAware(1).choose(RoutingRequest(b"key"), targets)
        assert choice.target is only
        assert choice.home is None
        assert not choice.overflowed

    @pytest.mark.parametrize("size", [2, 7, 20])
    def test_a_new_target_takes_about_its_share_of_the_keys_and_moves_no_other(self, size):
        count = 4_000
        before, after = homes(fleet(*[0] * size), count), homes(fleet(*[0] * (size + 1)), count)
        moved = [key for key in before if before[key] != after[key]]
        assert {after[key] for key in moved} == {f"i-{size}"}
        assert len(moved) == pytest.approx(count / (size + 1), rel=0.2)

    @given(st.integers(2, 9), st.data())
    def test_a_lost_target_moves_its_own_keys_only(self, size, data):
        targets = fleet(*[0] * size)
        lost = data.draw(st.sampled_from(targets))
        before, after = homes(targets, 50), homes([target for target in targets if target is not lost], 50)
        assert all(before[key] in {after[key], lost.id} for key in before)

    def test_the_keys_of_a_lost_target_spread_evenly_over_the_others(self):
        targets = fleet(*[0] * 7)
        before, after = homes(targets, 7_000), homes(targets[1:], 7_000)
        orphans = [key for key in before if before[key] == "i-0"]
        shares = Counter(after[key] for key in orphans)
        assert len(shares) == 6
        assert max(shares.values()) < 1.3 * len(orphans) / 6

    def test_keys_spread_evenly(self):
        shares = Counter(homes(fleet(*[0] * 7), 7_000).values())
        assert len(shares) == 7
        assert min(shares.values()) > 880
        assert max(shares.values()) < 1_120

    def test_every_process_agrees_on_the_home(self):
        program = (
            "from types import SimpleNamespace as T; from warmroute.fleet import PrefixAware, RoutingRequest;"
            "targets = [T(id=f'i-{n}', in_flight=0) for n in range(7)];"
            "print([PrefixAware(8).choose(RoutingRequest(f'prompt {n}'.encode()), targets).target.id"
            " for n in range(20)])"
        )
        run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert run.stdout.strip() == str(list(homes(fleet(*[0] * 7), 20).values()))


class TestLeastOutstandingRequests:
    @given(fleets)
    def test_it_picks_a_target_with_the_fewest_in_flight(self, targets):
        choice = LeastOutstandingRequests().choose(RoutingRequest(), targets)
        assert choice.target.in_flight == min(target.in_flight for target in targets)
        assert choice.home is None

    def test_equals_share(self):
        strategy, targets = LeastOutstandingRequests(), fleet(3, 3, 3, 4)
        shares = Counter(strategy.choose(RoutingRequest(b"same key"), targets).target.id for _ in range(3_000))
        assert set(shares) == {"i-0", "i-1", "i-2"}
        assert min(shares.values()) > 900


class TestRandom:
    def test_it_spreads_evenly_whatever_is_in_flight(self):
        strategy, targets = Random(seed=5), fleet(0, 10, 100)
        shares = Counter(strategy.choose(RoutingRequest(), targets).target.id for _ in range(3_000))
        assert len(shares) == 3
        assert min(shares.values()) > 900

    def test_a_seed_repeats_its_choices(self):
        targets = fleet(*[0] * 5)
        runs = []
        for seed in (1, 1, 2):
            strategy = Random(seed=seed)
            runs.append([strategy.choose(RoutingRequest(), targets).target.id for _ in range(30)])
        assert runs[0] == runs[1] != runs[2]


class TestKvAware:
    @staticmethod
    def choose(targets: list[Instance], cached: dict[str, int]):
        strategy = KvAware(tokens_per_request=100)
        return strategy.choose(RoutingRequest(cached_tokens=lambda target_id: cached.get(target_id, 0)), targets)

    def test_the_longest_match_wins_among_equally_busy_targets(self):
        choice = self.choose(fleet(2, 2, 2), {"i-0": 64, "i-1": 640})
        assert choice.target is choice.home
        assert choice.target.id == "i-1"

    def test_a_shorter_match_on_an_idler_target_can_be_worth_more(self):
        choice = self.choose(fleet(9, 2), {"i-0": 900, "i-1": 640})
        assert choice.target.id == "i-1"
        assert choice.home.id == "i-0"
        assert choice.overflowed

    def test_a_target_too_busy_for_its_match_loses_to_the_least_outstanding(self):
        choice = self.choose(fleet(9, 3, 1), {"i-0": 640})
        assert choice.target.id == "i-2"
        assert choice.overflowed

    @given(fleets)
    def test_without_a_match_it_is_least_outstanding(self, targets):
        choice = self.choose(targets, {})
        assert choice.target.in_flight == min(target.in_flight for target in targets)
        assert choice.home is None
        assert not choice.overflowed

    def test_of_equal_matches_the_idlest_is_home(self):
        assert self.choose(fleet(4, 3, 0), {"i-0": 640, "i-1": 640}).home.id == "i-1"


class TestStrategyFor:
    @pytest.mark.parametrize(
        ("routing", "strategy"),
        [
            (None, Random),
            (RoutingConfig.random(), Random),
            (RoutingConfig.least_outstanding_requests(), LeastOutstandingRequests),
            (RoutingConfig.prefix_aware(prefix_length=2_048, concurrency_threshold=4), PrefixAware),
            (RoutingConfig.kv_aware(), KvAware),
        ],
    )
    def test_each_configuration_has_its_strategy(self, routing: RoutingConfig | None, strategy: type[Strategy]):
        assert type(strategy_for(routing, seed=1)) is strategy

    def test_the_threshold_is_the_configured_one(self):
        strategy = strategy_for(RoutingConfig.prefix_aware(prefix_length=2_048, concurrency_threshold=4))
        targets = fleet(3, 3, 3)
        home = strategy.choose(RoutingRequest(b"key"), targets).target
        home.in_flight = 4
        assert strategy.choose(RoutingRequest(b"key"), targets).overflowed
