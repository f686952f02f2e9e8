from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import (
    KvAware,
    LeastOutstandingRequests,
    PrefixAware,
    Random,
    RoundRobin,
    RoutingRequest,
    Strategy,
    placement,
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


def chosen(strategy: Strategy, targets: Sequence[Instance], count: int = 40) -> list[str]:
    return [strategy.choose(RoutingRequest(b"key"), targets).target.id for _ in range(count)]


def assert_seeded(make: Callable[..., Strategy], targets: Sequence[Instance]) -> None:
    """A seed repeats what is left to chance, another seed does not, and 0 is the seed of those who give none."""
    assert chosen(make(seed=1), targets) == chosen(make(seed=1), targets) != chosen(make(seed=2), targets)
    assert chosen(make(), targets) == chosen(make(seed=0), targets) != chosen(make(seed=1), targets)


@dataclass
class Recorded:
    """A way to pick that remembers what it was asked: it takes the first."""

    asked: list[tuple] = field(default_factory=list)

    def __call__(self, key, targets, chance, /):
        self.asked.append((key, list(targets), type(chance)))
        return targets[0]


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

    @pytest.mark.parametrize(("in_flight", "target", "overflows"), [((1, 1), 0, False), ((2, 1), 1, True)])
    def test_two_targets_are_enough_and_the_threshold_is_busy(self, in_flight, target, overflows):
        choice = PrefixAware(2, placement=lambda _, targets, __: targets[0]).choose(RoutingRequest(), fleet(*in_flight))
        assert (choice.target.id, choice.home.id) == (f"i-{target}", "i-0")
        assert choice.overflowed is overflows

    def test_each_decision_is_made_as_it_was_told_to(self):
        placed, overflown, all_busy = Recorded(), Recorded(), Recorded()
        strategy = PrefixAware(3, placement=placed, overflow=overflown, when_all_busy=all_busy)
        for in_flight in ((2, 0, 0), (3, 2, 3), (3, 3, 4)):
            strategy.choose(RoutingRequest(b"key"), tuple(fleet(*in_flight)))
        chance = random.Random
        assert placed.asked == [(b"key", fleet(*in_flight), chance) for in_flight in ((2, 0, 0), (3, 2, 3), (3, 3, 4))]
        assert overflown.asked == [(b"key", [Instance("i-1", 2)], chance)]
        assert all_busy.asked == [(b"key", fleet(3, 3, 4), chance)]

    def test_another_placement_is_asked_for_each_request(self):
        targets, placed = tuple(fleet(0, 0)), Recorded()
        strategy = PrefixAware(3, placement=placed)
        assert chosen(strategy, targets, 5) == ["i-0"] * 5
        assert len(placed.asked) == 5

    def test_a_seed_decides_among_equals(self):
        assert_seeded(lambda **seed: PrefixAware(1, **seed), fleet(1, 1, 1, 1, 1))

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


@dataclass
class Counted(Instance):
    """An instance that counts how often its name is read: what a placement by name does."""

    reads: int = 0

    def __getattribute__(self, name):
        if name == "id":
            self.reads += 1
        return super().__getattribute__(name)


def reads_of_names(strategy: Strategy, targets: Sequence[Counted], key: bytes) -> int:
    """How many names of targets a choice reads."""
    before = sum(target.reads for target in targets)
    strategy.choose(RoutingRequest(key), targets)
    return sum(target.reads for target in targets) - before


class TestPlacement:
    @staticmethod
    def scored(key: bytes, target: Instance) -> int:
        """What rendezvous hashing says one target is worth, by MurmurHash3's finalizer in full."""
        score, other = (int.from_bytes(hashlib.sha256(text).digest()[:8]) for text in (key, target.id.encode()))
        score ^= other
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            score = (score ^ score >> 33) * factor & (1 << 64) - 1
        return score ^ score >> 33

    @given(prefix_keys, st.lists(st.text(), min_size=1, max_size=9, unique=True))
    def test_rendezvous_is_the_target_of_the_highest_score(self, key, names):
        targets = [Instance(name) for name in names]
        best = max(targets, key=lambda target: self.scored(key, target))
        assert rendezvous(key, targets, random.Random()) is best

    def test_a_home_is_remembered_as_long_as_the_fleet_is_the_same_tuple(self):
        strategy, targets = PrefixAware(8), tuple(Counted(f"i-{number}") for number in range(3))
        assert [reads_of_names(strategy, targets, key) for key in (b"a", b"a", b"b", b"a", b"b")] == [3, 0, 3, 0, 0]
        assert reads_of_names(strategy, (*targets[:2],), b"a") == 2

    def test_what_is_remembered_was_picked_with_all_that_there_is(self):
        pick, targets = Recorded(), tuple(fleet(0, 0))
        recall = placement.remembered(pick)
        assert recall(b"key", targets, random.Random()) is recall(b"key", targets, random.Random()) is targets[0]
        assert pick.asked == [(b"key", list(targets), random.Random)]

    def test_nothing_is_remembered_of_a_list_which_may_change(self):
        strategy, targets = PrefixAware(8), [Counted(f"i-{number}") for number in range(3)]
        assert [reads_of_names(strategy, targets, b"a") for _ in range(3)] == [3, 3, 3]

    def test_only_so_many_homes_are_remembered(self, monkeypatch):
        monkeypatch.setattr(placement, "_REMEMBERED_KEYS", 2)
        strategy, targets = PrefixAware(8), tuple(Counted(f"i-{number}") for number in range(3))
        assert [reads_of_names(strategy, targets, key) for key in (b"a", b"b", b"a", b"b")] == [3, 3, 0, 0]
        assert [reads_of_names(strategy, targets, key) for key in (b"c", b"c", b"a")] == [3, 0, 3]

    def test_chance_is_asked_among_equals_only(self):
        idlest = fleet(2, 1, 2)[1]
        assert placement.least_outstanding(b"", fleet(2, 1, 2), None) == idlest


class TestRoundRobin:
    def test_it_takes_turns_from_the_first(self):
        assert chosen(RoundRobin(), fleet(9, 0, 5), 7) == ["i-0", "i-1", "i-2"] * 2 + ["i-0"]


class TestLeastOutstandingRequests:
    def test_a_seed_decides_among_equals(self):
        assert_seeded(LeastOutstandingRequests, fleet(3, 3, 3, 3))

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
        assert_seeded(Random, fleet(*[0] * 5))


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
        assert self.choose(fleet(3, 4, 0), {"i-0": 640, "i-1": 640}).home.id == "i-0"

    def test_of_all_that_is_equal_the_first_is_taken(self):
        choice = self.choose(fleet(2, 2), {"i-0": 640, "i-1": 640})
        assert choice.target.id == choice.home.id == "i-0"

    def test_one_cached_token_is_a_match(self):
        choice = self.choose(fleet(0, 0, 0), {"i-1": 1})
        assert choice.target.id == choice.home.id == "i-1"

    @pytest.mark.parametrize(("cached", "target"), [(200, "i-1"), (201, "i-0")])
    def test_a_match_is_weighed_against_the_requests_more_than_the_idlest_has(self, cached, target):
        choice = self.choose(fleet(5, 3, 4), {"i-0": cached})
        assert choice.target.id == target

    @pytest.mark.parametrize(("cached", "target"), [(512, "i-1"), (513, "i-0")])
    def test_a_request_in_flight_outweighs_512_tokens(self, cached, target):
        request = RoutingRequest(cached_tokens=lambda target_id: cached if target_id == "i-0" else 0)
        assert KvAware().choose(request, fleet(1, 0)).target.id == target

    def test_without_a_word_about_the_cache_nothing_is_cached(self):
        assert KvAware().choose(RoutingRequest(), fleet(0, 0)).home is None

    def test_a_seed_decides_among_equals(self):
        assert_seeded(KvAware, fleet(3, 3, 3, 3))


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

    @pytest.mark.parametrize(
        "routing",
        [
            None,
            RoutingConfig.least_outstanding_requests(),
            RoutingConfig.prefix_aware(prefix_length=2_048, concurrency_threshold=1),
            RoutingConfig.kv_aware(),
        ],
        ids=str,
    )
    def test_the_seed_is_the_given_one(self, routing):
        assert_seeded(lambda **seed: strategy_for(routing, **seed), fleet(1, 1, 1, 1))

    def test_the_threshold_is_the_configured_one(self):
        strategy = strategy_for(RoutingConfig.prefix_aware(prefix_length=2_048, concurrency_threshold=4))
        targets = fleet(3, 3, 3)
        home = strategy.choose(RoutingRequest(b"key"), targets).target
        home.in_flight = 4
        assert strategy.choose(RoutingRequest(b"key"), targets).overflowed
