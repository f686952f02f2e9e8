from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.fleet import BlockTable, KvCache, Prompt, prompt_blocks

text = st.text(alphabet="ab \u00e9\ud83d\ude00", max_size=400)


def prompt(blocks: str, *, extra_tokens: int = 1) -> Prompt:
    """A prompt of one full block of 4 tokens for each letter, and an unfinished one; ``abc`` and ``abd`` share two."""
    hashes = tuple(blocks[: end + 1].encode() for end in range(len(blocks)))
    return Prompt(len(blocks) * 4 + extra_tokens, hashes)


def run(cache: KvCache, of: Prompt) -> int:
    """Serve one prompt from start to end, and say what it found."""
    found, table = cache.cached_tokens(of), BlockTable(of)
    assert cache.hold(table, of.tokens)
    cache.release(table)
    return found


class TestKvCache:
    def test_a_second_prompt_finds_the_common_beginning(self):
        cache = KvCache(16, block_size=4)
        assert run(cache, prompt("abcd")) == 0
        assert run(cache, prompt("abxy")) == 8

    def test_a_prompt_never_finds_its_last_token(self):
        cache = KvCache(16, block_size=4)
        run(cache, prompt("abcd", extra_tokens=0))
        assert cache.cached_tokens(prompt("abcd", extra_tokens=0)) == 12
        assert cache.cached_tokens(prompt("abcd", extra_tokens=1)) == 16

    def test_unfinished_blocks_are_not_found(self):
        cache = KvCache(16, block_size=4)
        table = BlockTable(prompt("abcd"))
        cache.hold(table, 7)
        assert cache.cached_tokens(prompt("abcd")) == 4
        cache.hold(table, 8)
        assert cache.cached_tokens(prompt("abcd")) == 8

    def test_the_tail_of_a_sequence_is_evicted_before_its_head(self):
        cache = KvCache(6, block_size=4)
        run(cache, prompt("abcd"))
        run(cache, prompt("xyz"))
        assert cache.cached_tokens(prompt("abcd")) == 8

    def test_the_least_recently_used_is_evicted_first(self):
        cache = KvCache(6, block_size=4)
        for used in ("ab", "xy", "ab", "pqr"):
            run(cache, prompt(used))
        assert cache.cached_tokens(prompt("ab")) == 8
        assert cache.cached_tokens(prompt("xy")) == 0

    def test_held_blocks_are_never_evicted(self):
        cache = KvCache(6, block_size=4)
        table = BlockTable(prompt("abc"))
        cache.hold(table, 12)
        run(cache, prompt("xy"))
        assert not cache.hold(BlockTable(prompt("pqrs")), 16)
        assert cache.cached_tokens(prompt("abc")) == 12

    def test_a_refusal_changes_nothing(self):
        cache = KvCache(4, block_size=4)
        run(cache, prompt("abc"))
        held = BlockTable(Prompt(1))
        cache.hold(held, 8)
        refused = BlockTable(prompt("abcde"))
        assert not cache.hold(refused, 20)
        assert (refused.shared, refused.private, cache.held_blocks, cache.cached_blocks) == (0, 0, 2, 2)

    def test_sequences_share_the_blocks_of_a_common_beginning(self):
        cache = KvCache(5, block_size=4)
        first, second = (BlockTable(prompt(blocks)) for blocks in ("abcx", "abcy"))
        assert cache.hold(first, 16)
        assert cache.hold(second, 16)
        assert cache.free_blocks == 0
        cache.release(first)
        assert cache.cached_tokens(prompt("abcx")) == 16
        assert cache.held_blocks == 4

    def test_known_answers_are_cached_as_they_grow(self):
        cache = KvCache(16, block_size=4)
        turn = Prompt(6, prompt("abc").segments)
        table = BlockTable(turn)
        cache.hold(table, 6)
        assert cache.cached_tokens(prompt("abcd")) == 4
        cache.hold(table, 12)
        assert cache.cached_tokens(prompt("abcd")) == 12

    def test_a_prompt_larger_than_the_cache_streams_through_a_replay(self):
        cache = KvCache(3, block_size=4)
        cache.replay(prompt("abcde"))
        assert cache.cached_blocks == 0
        assert cache.replay(prompt("abcde")) == 0

    @given(st.lists(st.text("abc", min_size=1, max_size=8), max_size=30), st.integers(9, 20))
    def test_replaying_and_serving_one_after_the_other_find_the_same(self, served, capacity):
        replayed, ran = KvCache(capacity, block_size=4), KvCache(capacity, block_size=4)
        for blocks in served:
            whole = prompt(blocks, extra_tokens=0)
            assert replayed.replay(whole) == run(ran, whole)
        assert replayed.cached_blocks == ran.cached_blocks <= capacity

    @given(st.data())
    def test_blocks_are_neither_lost_nor_made(self, data):
        cache, tables = KvCache(12, block_size=4), []
        for _ in range(data.draw(st.integers(1, 40))):
            if tables and data.draw(st.booleans()):
                cache.release(tables.pop(data.draw(st.integers(0, len(tables) - 1))))
            else:
                table = BlockTable(prompt(data.draw(st.text("ab", max_size=5))))
                if cache.hold(table, data.draw(st.integers(1, 30))):
                    tables.append(table)
            assert 0 <= cache.free_blocks <= 12
            assert cache.held_blocks <= sum(table.shared + table.private for table in tables)
            assert cache.cached_blocks + sum(table.private for table in tables) <= 12
        for table in tables:
            cache.release(table)
        assert cache.held_blocks == 0

    @pytest.mark.parametrize("size", [{"capacity_blocks": 0}, {"capacity_blocks": 8, "block_size": 0}])
    def test_a_cache_that_holds_nothing_is_refused(self, size):
        with pytest.raises(WarmrouteError, match="at least 1"):
            KvCache(**size)


class TestPromptBlocks:
    @given(text, text, text)
    def test_prompts_share_exactly_the_blocks_of_their_common_beginning(self, head, one, other):
        def blocks(of: str) -> tuple[bytes, ...]:
            return prompt_blocks(of, chars_per_token=2, block_size=4).segments

        first, second = head + one, head + other
        same = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
        common = min(len(first), len(second)) if same is None else same
        shared = [a == b for a, b in zip(blocks(first), blocks(second), strict=False)]
        assert shared == [True] * (common // 8) + [False] * (len(shared) - common // 8)

    @given(text)
    def test_tokens_cover_the_text_and_every_hashed_block_is_full(self, of):
        counted = prompt_blocks(of, chars_per_token=3, block_size=5)
        assert 0 <= counted.tokens * 3 - max(1, len(of)) < 3
        assert len(counted.segments) == len(of) // 15 <= counted.tokens // 5

    def test_a_salt_keeps_equal_prompts_apart(self):
        hashes = {block for salt in ("", "a", "b") for block in prompt_blocks("x" * 256, salt=salt).segments}
        assert len(hashes) == 12
        assert {len(block) for block in hashes} == {8}

    def test_a_salt_is_not_mistaken_for_text(self):
        salted, unsalted = prompt_blocks("b" * 64, salt="a" * 64), prompt_blocks("a" * 64 + "b" * 64)
        assert not set(salted.segments) & set(unsalted.segments)

    def test_hashes_are_the_same_in_every_process_and_release(self):
        assert prompt_blocks("You are a helpful assistant. " * 3).segments[0].hex() == "24824ac32a40818c"

    def test_lone_surrogates_are_text_too(self):
        assert len(prompt_blocks("\ud800" * 64).segments) == 1
