"""The cache by pieces and the engine that takes many steps at once, against the plain ones: the same to the block."""

from __future__ import annotations

from itertools import accumulate

import pytest
from fleet.plain_engine import PlainCache, PlainEngine, PlainSequence, block_names
from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import LLAMA_3_1_70B_8XH100, Advance, BlockTable, Engine, EngineRequest, KvCache, Prompt

BLOCK = 3


def prompt(path: str, cut_tokens: int = 0) -> Prompt:
    """A path in a tree of segments of 1 to 4 blocks, its last tokens left to the answer."""
    segments = tuple(path[: end + 1] for end in range(len(path)))
    ends = tuple(accumulate(1 + (7 * len(name) + 3 * name.count("b")) % 4 for name in segments))
    return Prompt(max(1, ends[-1] * BLOCK - cut_tokens), segments, ends)


paths = st.text("ab", min_size=1, max_size=5)
prompts = st.builds(prompt, paths, st.integers(-4, 14))
requests = st.lists(st.tuples(prompts, st.integers(1, 25)), min_size=1, max_size=12).map(
    lambda drawn: [EngineRequest(f"r{number}", *each) for number, each in enumerate(drawn)]
)


def cached_names(cache: KvCache, known: list[Prompt]) -> set[object]:
    """Every block that the cache has, of those in some prompts."""
    found: set[object] = set()
    for each in known:
        tokens = cache.cached_tokens(Prompt(10**6, each.segments, each.ends))
        found.update(block_names(each)[: tokens // BLOCK])
    return found


class TestCache:
    @given(st.data(), st.integers(4, 40))
    def test_it_holds_finds_and_evicts_the_same_blocks(self, data, capacity):
        cache, plain = KvCache(capacity, BLOCK), PlainCache(capacity, BLOCK)
        held: list[tuple[BlockTable, PlainSequence]] = []
        known: list[Prompt] = []
        for number in range(data.draw(st.integers(1, 30))):
            if held and data.draw(st.booleans()):
                table, sequence = held.pop(data.draw(st.integers(0, len(held) - 1)))
                cache.release(table)
                plain.release(sequence)
            elif held and data.draw(st.booleans()):
                self.grow(data, cache, plain, *held[data.draw(st.integers(0, len(held) - 1))])
            else:
                new = data.draw(prompts)
                known.append(new)
                assert cache.cached_tokens(new) == plain.cached_tokens(block_names(new), new.tokens)
                pair = BlockTable(new), PlainSequence(EngineRequest(str(number), new, 1))
                if self.grow(data, cache, plain, *pair):
                    held.append(pair)
            assert cached_names(cache, known) == plain.cached
            assert (cache.free_blocks, cache.cached_blocks) == (plain.free_blocks, len(plain.cached))

    def grow(self, data, cache, plain, table: BlockTable, sequence: PlainSequence) -> bool:
        least = (table.shared + table.private) * BLOCK
        tokens = data.draw(st.integers(least, least + 40))
        assert cache.fits(table, tokens) == plain.fits(sequence, tokens)
        done = cache.hold(table, tokens)
        assert done == plain.hold(sequence, tokens)
        assert (table.shared, table.private) == (sequence.shared, sequence.private)
        more = table.shared < table.prompt.blocks and block_names(table.prompt)[table.shared] in plain.cached
        assert cache.continues(table) == more
        return done

    @given(st.lists(paths, max_size=30), st.integers(2, 60))
    def test_replaying_segments_finds_what_replaying_their_blocks_does(self, served, capacity):
        by_segment, by_block = KvCache(capacity, BLOCK), KvCache(capacity, BLOCK)
        for path in served:
            whole = prompt(path)
            assert by_segment.replay(whole) == by_block.replay(Prompt(whole.tokens, block_names(whole)))
            assert by_segment.cached_blocks == by_block.cached_blocks


class TestEngine:
    @given(
        requests,
        st.integers(0, 40),
        st.integers(1, 6),
        st.integers(1, 40),
        st.data(),
    )
    def test_steps_taken_at_once_are_those_taken_one_by_one(self, asked, spare, seqs, budget, data):
        largest = max(-(-(each.prompt.tokens + each.output_tokens - 1) // BLOCK) for each in asked)
        known = [each.prompt for each in asked]
        cache, plain_cache = KvCache(largest + spare, BLOCK), PlainCache(largest + spare, BLOCK)
        fast = Engine(LLAMA_3_1_70B_8XH100, cache, max_num_seqs=seqs, max_num_batched_tokens=budget)
        plain = PlainEngine(LLAMA_3_1_70B_8XH100, plain_cache, seqs, budget)
        left = list(asked)
        while left or fast.has_work:
            while left and (not fast.has_work or data.draw(st.booleans())):
                fast.add(left[0])
                plain.add(left.pop(0))
            if data.draw(st.integers(0, 9)) == 0:
                gone = data.draw(st.sampled_from(asked)).id
                fast.cancel(gone)
                plain.cancel(gone)
                assert cached_names(cache, known) == plain_cache.cached
                continue
            steps = fast.uneventful_steps()
            if steps > 1:
                steps = data.draw(st.integers(1, steps))
                seconds = fast.seconds_ahead(steps)
                advanced = Advance(seconds, {}, fast.decode(steps))
            else:
                advanced = fast.advance()
            taken = [plain.step() for _ in range(steps)]
            assert all(not step[3] for step in taken[:-1])
            assert advanced.seconds == pytest.approx(sum(step[0] for step in taken))
            assert advanced.started == taken[-1][1]
            assert list(advanced.finished) == taken[-1][3]
            assert cached_names(cache, known) == plain_cache.cached
            assert cache.free_blocks == plain_cache.free_blocks
            assert (fast.running, fast.waiting) == (len(plain.running), len(plain.waiting))
        assert fast.num_preemptions == plain.num_preemptions
        assert not plain.has_work

    @given(requests, st.integers(0, 40), st.integers(1, 6), st.integers(1, 40))
    def test_a_single_step_names_whoever_got_a_token(self, asked, spare, seqs, budget):
        largest = max(-(-(each.prompt.tokens + each.output_tokens - 1) // BLOCK) for each in asked)
        fast = Engine(
            LLAMA_3_1_70B_8XH100, KvCache(largest + spare, BLOCK), max_num_seqs=seqs, max_num_batched_tokens=budget
        )
        plain = PlainEngine(LLAMA_3_1_70B_8XH100, PlainCache(largest + spare, BLOCK), seqs, budget)
        for each in asked:
            fast.add(each)
            plain.add(each)
        while fast.has_work:
            step = fast.step()
            assert set(step.tokens) == set(plain.step()[2])

    @given(st.integers(1, 200), st.integers(0, 10**6), st.integers(1, 2_000), st.floats(-0.9, 0.9))
    def test_the_steps_that_pass_a_time_are_the_fewest(self, sequences, kv_tokens, steps, part):
        model = LLAMA_3_1_70B_8XH100
        seconds = model.decode_seconds(sequences, kv_tokens + sequences, steps)
        assert model.decode_steps(sequences, kv_tokens + sequences, seconds * (1 - 1e-9)) == steps
        earlier = model.decode_seconds(sequences, kv_tokens + sequences, max(1, int(steps * (1 + part) / 2)))
        found = model.decode_steps(sequences, kv_tokens + sequences, earlier * (1 + 1e-9))
        assert model.decode_seconds(sequences, kv_tokens + sequences, found) >= earlier
        assert model.decode_seconds(sequences, kv_tokens + sequences, 1) == pytest.approx(
            model.step_seconds(sequences, kv_tokens + sequences, [])
        )
