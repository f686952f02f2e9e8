"""What is remembered of the prompts that a server was sent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet import BLOCK_SIZE, prompt_blocks
from warmroute.local.engines.sent_prompts import SentPrompts

TEXTS = st.text("ab", max_size=600)


@given(TEXTS, TEXTS)
def test_the_common_beginning_counts(one, other):
    sent = SentPrompts()
    sent.add(prompt_blocks(one))
    first, second = prompt_blocks(one).segments, prompt_blocks(other).segments
    common = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    assert sent.cached_tokens(prompt_blocks(other)) == common * BLOCK_SIZE


def test_the_least_recently_sent_is_forgotten_from_its_end():
    sent = SentPrompts(capacity_tokens=10 * BLOCK_SIZE)
    old, new = prompt_blocks("a" * 64 * 8), prompt_blocks("b" * 64 * 6)
    sent.add(old)
    sent.add(new)
    assert sent.cached_tokens(new) == 6 * BLOCK_SIZE
    assert sent.cached_tokens(old) == 4 * BLOCK_SIZE

    sent.clear()
    assert sent.cached_tokens(new) == 0
