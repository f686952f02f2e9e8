"""Prompts told in pieces: the fewest segments, and the same blocks as block by block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import KvCache, PromptPieces, share_prompts

BLOCK = 4
pieces = st.lists(st.sampled_from([("a", 3), ("b", 8), ("c", 1), ("d", 13)]), min_size=1, max_size=7)
told = st.lists(st.tuples(pieces, st.sampled_from(["", "tenant"])), min_size=1, max_size=15)


def blocks_of(told_pieces: list[tuple[str, int]], salt: str) -> list[str]:
    """Every full block by the text up to its end, a letter a token."""
    text = "".join((name + "-" * length)[:length] for name, length in told_pieces)
    return [salt + "/" + text[: end + BLOCK] for end in range(0, len(text) - BLOCK + 1, BLOCK)]


def prompts_of(drawn):
    return share_prompts(
        (PromptPieces(sum(length for _, length in each), each, salt) for each, salt in drawn), block_size=BLOCK
    )


@given(told)
def test_two_prompts_share_exactly_the_blocks_that_they_have_in_common(drawn):
    prompts = prompts_of(drawn)
    for one, (pieces_one, salt_one) in zip(prompts, drawn, strict=True):
        names = blocks_of(pieces_one, salt_one)
        assert one.blocks == len(names)
        for other, (pieces_other, salt_other) in zip(prompts, drawn, strict=True):
            cache = KvCache(1_000, BLOCK)
            cache.replay(other)
            pairs = zip(names, blocks_of(pieces_other, salt_other), strict=False)
            common = sum(a == b for a, b in pairs)
            assert cache.cached_tokens(one) == min(common, (one.tokens - 1) // BLOCK) * BLOCK


def test_what_nobody_parts_from_is_one_segment():
    one, other = share_prompts(
        [
            PromptPieces(900, [("system", 160), ("tools", 320), ("question", 420)]),
            PromptPieces(600, [("system", 160), ("tools", 320), ("other", 120)]),
        ]
    )
    assert (one.ends, other.ends) == ((30, 56), (30, 37))
    assert one.segments[0] == other.segments[0]
    assert one.segments[1] != other.segments[1]


def test_an_answer_that_a_later_prompt_repeats_is_named_beyond_the_prompt():
    first, second = share_prompts(
        [
            PromptPieces(160, [("question", 160), ("answer", 80)]),
            PromptPieces(272, [("question", 160), ("answer", 80), ("and", 32)]),
        ]
    )
    assert (first.tokens, first.blocks) == (160, 15)
    assert second.segments[0] == first.segments[0]


def test_a_salt_keeps_equal_prompts_apart():
    one, other = share_prompts([PromptPieces(64, [("a", 64)], salt) for salt in ("", "tenant")])
    assert not set(one.segments) & set(other.segments)
