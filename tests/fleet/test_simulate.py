"""A fleet in virtual time: against engines stepped one by one, and what happens to it meanwhile."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from fleet.plain_engine import PlainCache, PlainEngine
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.fleet import (
    LLAMA_3_1_70B_8XH100,
    AddInstances,
    ClosedLoop,
    EngineProfile,
    EngineRequest,
    FleetConfig,
    FleetRequest,
    LoseInstance,
    PrefixAware,
    Prompt,
    Random,
    RemoveInstances,
    RoundRobin,
    simulate,
)
from warmroute.routing import RoutingConfig

FRONT = LLAMA_3_1_70B_8XH100.request_seconds
AWARE = RoutingConfig.prefix_aware(prefix_length=1_024, concurrency_threshold=8)


def request(at: float, document: int = 0, *, question: int = 0, output: int = 20, adapter: str = "") -> FleetRequest:
    """A question about a document of 4,000 tokens."""
    prompt = Prompt(4_100, (document, (document, question)), (250, 256))
    return FleetRequest(at, prompt, output, str(document).encode(), adapter)


def steady(count: int, *, per_second: float = 4.0, documents: int = 40) -> list[FleetRequest]:
    return [request(number / per_second, number * 7 % documents, question=number) for number in range(count)]


def tiny_engines(capacity_tokens: int, **limits: int) -> EngineProfile:
    model = LLAMA_3_1_70B_8XH100.model_copy(update={"kv_cache_tokens": capacity_tokens})
    return EngineProfile(cost_model=model, block_size=4, **limits)


def stepped(requests: list[FleetRequest], capacity_tokens: int, seqs: int, budget: int) -> list[tuple[float, float]]:
    """Time to the first and to the last token of each request, by an engine that takes one step at a time."""
    plain = PlainEngine(LLAMA_3_1_70B_8XH100, PlainCache(capacity_tokens // 4, 4), seqs, budget)
    now, given, first, last = 0.0, 0, {}, {}
    while len(last) < len(requests):
        if not plain.has_work:
            now = max(now, requests[given].arrival_seconds + FRONT)
        while given < len(requests) and requests[given].arrival_seconds + FRONT <= now:
            plain.add(EngineRequest(str(given), requests[given].prompt, requests[given].output_tokens))
            given += 1
        seconds, started, _, finished = plain.step()
        now += seconds
        first.update(dict.fromkeys(started, now))
        last.update(dict.fromkeys(finished, now))
    return [
        (first[str(i)] - each.arrival_seconds, last[str(i)] - each.arrival_seconds) for i, each in enumerate(requests)
    ]


class TestTime:
    @settings(deadline=None)
    @given(
        st.lists(
            st.tuples(
                # Gaps that end at no step's end, where either order would be right.
                st.integers(0, 40).map(lambda steps: steps * 0.00333 + 1e-4),
                st.text("ab", min_size=1, max_size=8),
                st.integers(0, 3),
                st.integers(1, 40),
            ),
            min_size=1,
            max_size=15,
        ),
        st.integers(1, 5),
        st.integers(4, 40),
        st.integers(72, 300),
    )
    def test_one_instance_takes_as_long_as_an_engine_stepped_one_by_one(self, drawn, seqs, budget, capacity):
        at, requests = 0.0, []
        for gap, path, spare, output in drawn:
            at += gap
            names = tuple(path[: end + 1] for end in range(len(path)))
            requests.append(FleetRequest(at, Prompt(len(path) * 4 + spare, names), output))
        profile = tiny_engines(capacity, max_num_seqs=seqs, max_num_batched_tokens=budget)
        result = simulate(requests, FleetConfig(instances=1, profile=profile))
        expected = stepped(requests, capacity, seqs, budget)
        assert [each.ttft_seconds for each in result] == pytest.approx([first for first, _ in expected])
        assert [each.e2e_seconds for each in result] == pytest.approx([last for _, last in expected])

    def test_a_lone_request_takes_its_front_end_its_prefill_and_its_decoding(self):
        (record,) = simulate([request(3.0)], FleetConfig(instances=2))
        model = LLAMA_3_1_70B_8XH100
        prefill = model.step_seconds(4_100, 0, [(4_100, 0)])
        assert record.arrival_seconds == 3.0
        assert record.ttft_seconds == pytest.approx(FRONT + prefill)
        assert record.e2e_seconds == pytest.approx(FRONT + prefill + model.decode_seconds(1, 4_101, 19))
        assert (record.prompt_tokens, record.cached_tokens, record.output_tokens) == (4_100, 0, 20)


class TestRuns:
    @pytest.mark.parametrize(
        "routing", [None, AWARE, RoutingConfig.least_outstanding_requests(), RoutingConfig.kv_aware()]
    )
    def test_one_seed_gives_the_same_bytes_and_every_request_is_answered(self, routing):
        config = FleetConfig(instances=3, routing=routing, front_ends=2)
        one, other = (simulate(steady(200), config, seed=5) for _ in range(2))
        assert bytes(one) == bytes(other)
        assert len(one) == 200
        assert all(0 < each.ttft_seconds <= each.e2e_seconds for each in one)

    def test_another_seed_decides_otherwise(self):
        runs = {bytes(simulate(steady(50), FleetConfig(instances=3), seed=seed)) for seed in range(3)}
        assert len(runs) == 3

    def test_affinity_finds_what_chance_does_not(self):
        aware = simulate(steady(400), FleetConfig(instances=7, routing=AWARE)).summary()
        chance = simulate(steady(400), FleetConfig(instances=7)).summary()
        assert aware.hit_rate > 0.85
        assert chance.hit_rate < 0.75
        assert aware.ttft.mean < chance.ttft.mean

    def test_a_home_at_its_threshold_overflows(self):
        burst = [request(0.001 * number, question=number) for number in range(30)]
        result = simulate(burst, FleetConfig(instances=3, routing=AWARE))
        homes = Counter(each.instance for each in result if not each.overflowed)
        assert sum(each.overflowed for each in result) > 10
        assert len(homes) == 1 or result.summary().overflow_share > 0.5

    def test_private_counters_see_less_of_the_load(self):
        burst = [request(0.001 * number, question=number) for number in range(40)]
        shared = simulate(burst, FleetConfig(instances=4, routing=AWARE))
        private = simulate(burst, FleetConfig(instances=4, routing=AWARE, front_ends=4))
        assert private.summary().overflow_share < shared.summary().overflow_share

    def test_requests_out_of_order_are_refused(self):
        with pytest.raises(WarmrouteError, match=r"Request 1 arrives at 1\.0 s, after one at 2\.0 s"):
            simulate([request(2.0), request(1.0)], FleetConfig(instances=1))

    def test_a_request_too_large_for_an_engine_is_counted_and_served_by_none(self):
        large = FleetRequest(0.5, Prompt(500), 20)
        result = simulate(
            [large, FleetRequest(1.0, Prompt(50), 5)], FleetConfig(instances=1, profile=tiny_engines(400))
        )
        assert result.summary().refused == 1
        assert math.isnan(result[0].ttft_seconds)
        assert result[1].e2e_seconds > 0

    def test_no_requests_are_no_trouble(self):
        summary = simulate([], FleetConfig(instances=2)).summary()
        assert (summary.requests, summary.hit_rate, summary.requests_per_second) == (0, 0.0, 0.0)
        assert math.isnan(summary.ttft.p50)

    def test_round_robin_takes_turns(self):
        result = simulate(steady(9), FleetConfig(instances=3, strategy=lambda _: RoundRobin()))
        assert [each.instance for each in result] == [0, 1, 2] * 3


class TestClosedLoop:
    def test_a_client_asks_after_its_answer_and_its_thinking(self):
        sessions = [[request(0.0, number, output=5) for _ in range(4)] for number in range(3)]
        loop = ClosedLoop(sessions=sessions, clients=1, duration_seconds=1e6)
        records = list(simulate(loop, FleetConfig(instances=2)))
        assert len(records) == 12
        for before, after in pairwise(records):
            assert after.arrival_seconds == pytest.approx(before.arrival_seconds + before.e2e_seconds)

    def test_thinking_and_the_end_bound_how_much_is_asked(self):
        def asked(think_seconds: float) -> int:
            endless = (iter([request(0.0, number)]) for number in range(10**9))
            loop = ClosedLoop(sessions=endless, clients=3, think_seconds=think_seconds, duration_seconds=60)
            result = simulate(loop, FleetConfig(instances=2), seed=2)
            assert all(each.arrival_seconds < 60 for each in result)
            return len(result)

        assert asked(5.0) < asked(0.0) / 4

    @pytest.mark.parametrize("wrong", [{"clients": 0}, {"duration_seconds": 0}, {"think_seconds": -1}])
    def test_a_loop_that_asks_nothing_is_refused(self, wrong):
        with pytest.raises(WarmrouteError, match="at least one client"):
            ClosedLoop(**{"sessions": [], "clients": 1, "duration_seconds": 1, **wrong})


class TestChanges:
    @given(st.integers(2, 6), st.integers(0, 5))
    @settings(max_examples=15, deadline=None)
    def test_a_new_instance_takes_about_its_share_of_the_prefixes_and_moves_no_other(self, size, seed):
        requests = [request(number / 4, number % 300, question=number, output=1) for number in range(600)]
        config = FleetConfig(
            instances=size,
            strategy=lambda each: PrefixAware(1_000, seed=each),
            changes=(AddInstances(at_seconds=70, warm_up_seconds=5 - 1e-3),),
        )
        records = list(simulate(requests, config, seed=seed))
        moved = [b.instance for a, b in zip(records, records[300:], strict=False) if a.instance != b.instance]
        assert set(moved) <= {size}
        assert len(moved) == pytest.approx(300 / (size + 1), rel=0.35)

    def test_an_instance_serves_only_once_it_is_warm(self):
        config = FleetConfig(instances=1, changes=(AddInstances(at_seconds=10, count=2, warm_up_seconds=20),))
        records = list(simulate(steady(300), config))
        assert {each.instance for each in records if each.arrival_seconds < 30} == {0}
        assert {each.instance for each in records if each.arrival_seconds > 30} == {0, 1, 2}

    def test_a_removed_instance_finishes_what_it_has(self):
        config = FleetConfig(instances=3, changes=(RemoveInstances(at_seconds=20.1),))
        records = list(simulate(steady(200), config))
        assert {each.instance for each in records if each.arrival_seconds > 20.1} == {0, 1}
        assert not any(each.retried for each in records)
        assert all(each.e2e_seconds > 0 for each in records)

    def test_a_lost_instance_s_requests_are_sent_again(self):
        config = FleetConfig(instances=3, changes=(LoseInstance(at_seconds=20.13, instance=1),), retry_seconds=2)
        records = list(simulate(steady(600, per_second=20), config))
        retried = [each for each in records if each.retried]
        assert retried
        assert all(each.ttft_seconds > 2 and each.instance != 1 for each in retried)
        assert all(each.e2e_seconds > 0 for each in records)
        assert 1 not in {each.instance for each in records if each.arrival_seconds > 20.13}

    def test_until_a_loss_is_noticed_requests_fail_there(self):
        config = FleetConfig(instances=2, changes=(LoseInstance(at_seconds=10, unnoticed_seconds=10),))
        records = list(simulate(steady(200), config))
        late = [each for each in records if 10 < each.arrival_seconds < 19]
        assert sum(each.retried for each in late) > len(late) / 4
        assert not any(each.retried for each in records if each.arrival_seconds > 20)

    def test_without_an_instance_requests_wait_for_the_next(self):
        changes = (LoseInstance(at_seconds=1), AddInstances(at_seconds=2, warm_up_seconds=50))
        records = list(simulate(steady(20), FleetConfig(instances=1, changes=changes)))
        assert all(each.e2e_seconds > 0 for each in records)
        assert records[-1].arrival_seconds + records[-1].ttft_seconds > 52

    def test_a_fleet_that_ends_before_its_requests_says_so(self):
        with pytest.raises(WarmrouteError, match="No instance is left"):
            simulate(steady(20), FleetConfig(instances=1, changes=(LoseInstance(at_seconds=1),)))

    def test_losing_what_never_was_is_an_error(self):
        with pytest.raises(WarmrouteError, match="Instance 9 is lost"):
            simulate(steady(20), FleetConfig(instances=2, changes=(LoseInstance(at_seconds=1, instance=9),)))


class TestShapes:
    def test_copies_are_routed_to_one_by_one_and_counted_by_instance(self):
        two = FleetConfig(instances=2, copies_per_instance=4, strategy=lambda _: RoundRobin())
        result = simulate(steady(80, documents=39), two)
        assert result.summary().share_by_instance == {0: 0.5, 1: 0.5}
        # Eight engines, so that each document meets a cold one more often than with two.
        few = simulate(steady(80, documents=39), FleetConfig(instances=2, strategy=lambda _: RoundRobin()))
        assert result.summary().hit_rate < few.summary().hit_rate

    def test_an_adapter_is_served_where_it_is(self):
        requests = [request(number / 4, number, adapter="legal" if number % 2 else "") for number in range(100)]
        records = list(simulate(requests, FleetConfig(instances=4, adapters={"legal": [1, 3]})))
        assert {each.instance for each in records[1::2]} == {1, 3}
        assert {each.instance for each in records[0::2]} == {0, 1, 2, 3}

    def test_an_adapter_that_nobody_has_is_an_error(self):
        with pytest.raises(WarmrouteError, match="No instance in service has the adapter legal"):
            simulate([request(0.0, adapter="legal")], FleetConfig(instances=2, adapters={"legal": []}))

    def test_split_in_prefill_and_decoding_no_prompt_holds_an_answer_up(self):
        requests = [request(number * 0.15, number, output=200) for number in range(60)]
        together = simulate(requests, FleetConfig(instances=4, routing=AWARE))
        split = simulate(requests, FleetConfig(instances=2, decode_instances=2, routing=AWARE))

        def decoding(result) -> float:
            return sum(each.e2e_seconds - each.ttft_seconds for each in result)

        assert decoding(split) < decoding(together)
        assert {each.instance for each in split} == {0, 1}
        assert all(each.e2e_seconds > each.ttft_seconds > 0 for each in split)

    def test_the_host_s_memory_gives_back_what_the_kv_cache_lost(self):
        requests = [request(number * 2.0, number % 4, question=0) for number in range(16)]
        small = EngineProfile(cost_model=LLAMA_3_1_70B_8XH100.model_copy(update={"kv_cache_tokens": 8_800}))
        without = simulate(requests, FleetConfig(instances=1, profile=small)).summary()
        tiered = small.model_copy(update={"host_cache_tokens": 40_000})
        result = simulate(requests, FleetConfig(instances=1, profile=tiered))
        assert without.hit_rate == 0.0
        assert result.summary().hit_rate == pytest.approx(12 / 16 * 4_096 / 4_100)
        # Copying takes its time, and less than computing.
        alone = simulate([request(0.0), request(5.0)], FleetConfig(instances=1))
        assert alone[1].ttft_seconds < result[15].ttft_seconds < result[0].ttft_seconds / 2

    @pytest.mark.parametrize("wrong", [{"instances": 0}, {"front_ends": 0}, {"copies_per_instance": 0}])
    def test_counts_below_one_are_refused(self, wrong):
        with pytest.raises(WarmrouteError, match="is 0"):
            FleetConfig(**{"instances": 1, **wrong})

    def test_a_split_fleet_does_not_change(self):
        with pytest.raises(WarmrouteError, match="cannot change"):
            FleetConfig(instances=1, decode_instances=1, changes=(AddInstances(at_seconds=1),))

    def test_a_strategy_of_one_s_own_takes_the_place_of_the_routing(self):
        chosen = simulate(steady(50), FleetConfig(instances=3, strategy=lambda seed: Random(seed=seed)), seed=3)
        assert bytes(chosen) == bytes(simulate(steady(50), FleetConfig(instances=3), seed=3))
