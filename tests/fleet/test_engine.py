from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.fleet import (
    LLAMA_3_1_70B_8XH100,
    Engine,
    EngineRequest,
    KvCache,
    Prompt,
    RequestRefusedError,
    Step,
    prompt_blocks,
)


def engine(*, blocks: int = 64, block_size: int = 4, max_num_seqs: int = 8, max_num_batched_tokens: int = 32) -> Engine:
    return Engine(
        LLAMA_3_1_70B_8XH100,
        KvCache(blocks, block_size=block_size),
        max_num_seqs=max_num_seqs,
        max_num_batched_tokens=max_num_batched_tokens,
    )


def prompt(text: str) -> Prompt:
    """One token a letter, blocks of 4."""
    return prompt_blocks(text, chars_per_token=1, block_size=4)


def request(id_: str, text: str = "abcdefgh", output_tokens: int = 3) -> EngineRequest:
    return EngineRequest(id_, prompt(text), output_tokens)


@dataclass
class Log:
    """What the steps of an engine said, added up."""

    steps: list[Step] = field(default_factory=list)
    started: Counter[str] = field(default_factory=Counter)
    cached: dict[str, int] = field(default_factory=dict)
    tokens: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)

    @property
    def new_tokens(self) -> int:
        return sum(step.new_tokens for step in self.steps)

    def step(self, of: Engine) -> Step:
        step = of.step()
        self.steps.append(step)
        assert step.seconds > 0
        assert step.started.keys() <= step.tokens.keys()
        assert set(step.finished) <= step.tokens.keys()
        for request_id, tokens in step.tokens.items():
            assert request_id not in self.finished
            assert (request_id in step.started) == (self.tokens[request_id] == 0)
            self.tokens[request_id] += tokens
        self.started.update(step.started.keys())
        self.cached.update(step.started)
        self.finished.update(step.finished)
        return step


def drain(of: Engine, log: Log | None = None) -> Log:
    log = log or Log()
    while of.has_work:
        log.step(of)
        assert len(log.steps) < 5_000
    return log


# Few letters, so that prompts often share their beginnings.
requests = st.lists(st.tuples(st.text("ab", min_size=1, max_size=30), st.integers(1, 12)), min_size=1, max_size=12).map(
    lambda drawn: [request(f"r{number}", text, output) for number, (text, output) in enumerate(drawn)]
)
# The largest request needs 11 blocks: from there to room for all, with preemption, chunks and queues in between.
engines = st.builds(
    engine,
    blocks=st.integers(11, 60),
    max_num_seqs=st.integers(1, 6),
    max_num_batched_tokens=st.integers(1, 40),
)


class TestLaws:
    @given(engines, requests, st.data())
    def test_every_request_finishes_once_with_its_tokens_and_releases_its_blocks(self, running, asked, data):
        log, left = Log(), list(asked)
        while left or running.has_work:
            while left and (not running.has_work or data.draw(st.booleans())):
                running.add(left.pop(0))
            log.step(running)
        assert log.started == log.finished == Counter({each.id: 1 for each in asked})
        assert log.tokens == Counter({each.id: each.output_tokens for each in asked})
        assert running.kv_cache.held_blocks == 0
        assert all(log.cached[each.id] <= each.prompt.tokens - 1 for each in asked)
        assert all(log.cached[each.id] % 4 == 0 for each in asked)
        assert running.prefix_cache_queries == sum(each.prompt.tokens for each in asked)
        assert running.prefix_cache_hits == sum(log.cached.values())

    @given(requests, st.integers(1, 6), st.integers(1, 40))
    def test_without_preemption_what_is_not_cached_is_computed_once(self, asked, max_num_seqs, budget):
        roomy = engine(blocks=500, max_num_seqs=max_num_seqs, max_num_batched_tokens=budget)
        for each in asked:
            roomy.add(each)
        log = drain(roomy)
        assert roomy.num_preemptions == 0
        # The last token of an answer is never computed itself.
        wanted = sum(each.prompt.tokens - log.cached[each.id] + each.output_tokens - 1 for each in asked)
        assert log.new_tokens == wanted

    @given(engines, requests, st.data())
    def test_cancelling_at_any_time_leaks_nothing_and_spares_the_others(self, running, asked, data):
        log, cancelled = Log(), set()
        for each in asked:
            running.add(each)
        while running.has_work:
            for each in asked:
                if data.draw(st.integers(0, 5)) == 0:
                    here = each.id not in cancelled and each.id not in log.finished
                    assert running.cancel(each.id) == here
                    if here:
                        cancelled.add(each.id)
            if running.has_work:
                log.step(running)
        assert running.kv_cache.held_blocks == 0
        assert set(log.finished) == {each.id for each in asked} - cancelled
        assert all(log.tokens[each.id] == each.output_tokens for each in asked if each.id not in cancelled)

    @given(engines, requests)
    def test_limits_hold_and_requests_begin_in_order(self, running, asked):
        for each in asked:
            running.add(each)
        log = Log()
        while running.has_work:
            step = log.step(running)
            assert 1 <= step.new_tokens <= running.max_num_batched_tokens
            assert running.running <= running.max_num_seqs
            assert running.running + running.waiting == len(asked) - len(log.finished)
        if running.num_preemptions == 0:
            assert list(log.cached) == [each.id for each in asked]


class TestPrefixCaching:
    def test_a_second_request_computes_only_what_the_first_did_not(self):
        running = engine()
        running.add(request("first", "abcdefghij", output_tokens=1))
        drain(running)
        running.add(request("second", "abcdefghxy", output_tokens=1))
        step = running.step()
        assert step.started == {"second": 8}
        assert step.new_tokens == 2
        assert (running.prefix_cache_queries, running.prefix_cache_hits) == (20, 8)

    def test_a_repeated_prompt_computes_its_last_block_again(self):
        running = engine()
        for number in range(2):
            running.add(request(f"r{number}", "abcdefgh", output_tokens=1))
        assert running.step().started == {"r0": 0, "r1": 4}

    def test_a_warm_request_gets_its_first_token_sooner(self):
        running = engine(blocks=4_000, max_num_batched_tokens=8_192)
        text = "".join(chr(97 + number * number % 26) for number in range(8_000))
        waits = []
        for name in ("cold", "warm"):
            running.add(request(name, text + name, output_tokens=1))
            waits.append(running.step().seconds)
        assert waits[0] > 10 * waits[1]

    def test_the_next_turn_finds_the_answer_when_the_caller_knew_it(self):
        running = engine()
        conversation = prompt("question" + "answer!!" + "and then?")
        running.add(EngineRequest("turn 1", Prompt(8, conversation.segments[:4]), output_tokens=9))
        drain(running)
        running.add(EngineRequest("turn 2", conversation, output_tokens=1))
        assert running.step().started == {"turn 2": 16}

    def test_what_a_cancelled_request_computed_stays_cached(self):
        running = engine()
        running.add(request("gone", "abcdefgh"))
        running.step()
        assert running.cancel("gone")
        running.add(request("next", "abcdefgh++"))
        assert running.step().started == {"next": 8}


class TestScheduling:
    def test_a_long_prompt_is_computed_in_chunks_beside_those_who_decode(self):
        running = engine(max_num_batched_tokens=10)
        running.add(request("short", "ab", output_tokens=9))
        running.step()
        running.add(request("long", "abcdefghijklmnopqrstuvwxyz", output_tokens=1))
        steps = [running.step() for _ in range(3)]
        assert [step.new_tokens for step in steps] == [10, 10, 9]
        assert [step.tokens.get("short") for step in steps] == [1, 1, 1]
        assert [step.finished for step in steps] == [(), (), ("long",)]

    def test_requests_beyond_max_num_seqs_wait(self):
        running = engine(max_num_seqs=2)
        for number in range(3):
            running.add(request(f"r{number}", f"{number}{number}", output_tokens=2))
        running.step()
        assert (running.running, running.waiting) == (2, 1)
        running.step()
        assert running.step().started == {"r2": 0}

    def test_a_prompt_that_does_not_fit_now_waits_for_blocks(self):
        running = engine(blocks=5)
        running.add(request("first", "a" * 12, output_tokens=2))
        running.add(request("second", "b" * 12, output_tokens=2))
        assert [list(running.step().tokens) for _ in range(3)] == [["first"], ["first"], ["second"]]
        assert running.num_preemptions == 0

    def test_a_prompt_begins_only_when_all_of_it_fits_though_its_first_chunk_would(self):
        running = engine(blocks=5, max_num_batched_tokens=4)
        running.add(request("first", "a" * 12, output_tokens=4))
        running.add(request("second", "b" * 12, output_tokens=1))
        log = Log()
        while not log.finished:
            log.step(running)
            assert running.waiting == 1
        assert log.finished == {"first": 1}

    def test_a_request_that_lost_its_blocks_comes_back_before_those_who_never_began(self):
        running = engine(blocks=5, max_num_seqs=2)
        for name in ("first", "second"):
            running.add(request(name, name[0] * 8, output_tokens=8))
        running.add(request("third", "t", output_tokens=1))
        log = Log()
        while not running.num_preemptions:
            log.step(running)
        assert (running.running, running.waiting) == (1, 2)
        drain(running, log)
        (beginning,) = [step for step in log.steps if "third" in step.started]
        assert "second" in beginning.tokens

    def test_the_last_to_come_gives_up_its_blocks_and_starts_again_without_repeating_tokens(self):
        running = engine(blocks=5)
        running.add(request("first", "aaaaaaaa", output_tokens=8))
        running.add(request("second", "bbbbbbbb", output_tokens=8))
        log = drain(running)
        assert running.num_preemptions == 1
        assert list(log.finished) == ["first", "second"]
        assert log.tokens == {"first": 8, "second": 8}
        assert log.started == {"first": 1, "second": 1}
        assert running.prefix_cache_queries == 16

    def test_an_engine_at_rest_steps_in_no_time(self):
        assert engine().step() == Step(0.0, 0, {}, {}, ())


class TestRefusals:
    def test_a_request_that_can_never_fit_is_refused(self):
        running = engine(blocks=4)
        running.add(request("just fits", "a" * 12, output_tokens=5))
        with pytest.raises(RequestRefusedError, match=r"needs room for 17 tokens, and the KV cache has 16"):
            running.add(request("too large", "a" * 12, output_tokens=6))
        assert drain(running).tokens == {"just fits": 5}

    def test_an_id_is_used_once_at_a_time(self):
        running = engine()
        running.add(request("same"))
        with pytest.raises(RequestRefusedError, match="already"):
            running.add(request("same"))
        running.step()
        with pytest.raises(RequestRefusedError, match="already"):
            running.add(request("same"))
        while running.has_work:
            running.step()
        running.add(request("same"))

    @pytest.mark.parametrize("empty", [EngineRequest("r", Prompt(0), 1), EngineRequest("r", Prompt(1), 0)])
    def test_a_request_without_tokens_is_refused(self, empty):
        with pytest.raises(RequestRefusedError, match="at least 1"):
            engine().add(empty)

    @pytest.mark.parametrize("limit", ["max_num_seqs", "max_num_batched_tokens"])
    def test_an_engine_that_could_run_nothing_is_refused(self, limit):
        with pytest.raises(WarmrouteError, match=f"{limit} is 0"):
            engine(**{limit: 0})

    def test_cancelling_an_unknown_request_says_so(self):
        assert not engine().cancel("nobody")
