from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warmroute.fleet.prompt import prompt_blocks
from warmroute.traffic.bodies.blocks import chained_hashes, names_of, resized

texts = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=60)


@given(texts, texts, st.integers(1, 9), st.booleans())
def test_texts_share_the_blocks_of_their_common_beginning_and_no_others(first, second, size, with_rest):
    names = [chained_hashes(text, size, with_rest=with_rest) for text in (first, second)]
    for text, found in zip((first, second), names, strict=True):
        assert len(found) == (-(-len(text) // size) if with_rest else len(text) // size)
        assert len(set(found)) == len(found)
    cuts = [
        [text[:end] for end in range(size, len(text) + size, size)][: len(found)]
        for text, found in zip((first, second), names, strict=True)
    ]
    assert {name for name in names[0] if name in names[1]} == {
        name for cut, name in zip(cuts[0], names[0], strict=True) if cut in cuts[1]
    }


@given(texts, st.text(max_size=3), st.text(max_size=3))
def test_salts_part_all_blocks(text, first, second):
    both = [chained_hashes(text, 4, salt=salt) for salt in (first, second)]
    assert both[0] == both[1] if first == second else not set(both[0]) & set(both[1])


@given(texts)
def test_the_simulator_s_prompts_are_made_of_them(text):
    assert list(prompt_blocks(text, block_size=2).segments) == chained_hashes(text, 8)


@given(st.lists(st.integers(-(2**70), 2**70)))
def test_names_become_exact_numbers_that_are_equal_as_before(numbers):
    names = names_of(numbers)
    assert all(0 <= name < 2**53 for name in names)
    assert len(set(names)) == len(set(numbers))


@given(st.integers(1, 400), st.integers(1, 400), st.sampled_from([(2, 8), (8, 2), (4, 4), (1, 8)]))
def test_blocks_of_another_size_share_what_whole_blocks_of_both_sizes_share(first, second, sizes):
    """Two prompts that are equal as far as the shorter one goes, of as many tokens."""
    own, wanted = sizes
    resizes = []
    for tokens in (first, second):
        full, rest = divmod(tokens, own)
        names = [*range(full), *([f"rest {tokens}".__hash__() % 2**40] if rest else [])]
        resizes.append(resized(names, own, wanted, tokens))
    for tokens, found in zip((first, second), resizes, strict=True):
        assert len(found) == -(-tokens // wanted)
    if first != second:
        unit = max(own, wanted)
        known = min(first, second) // unit * unit // wanted
        assert resizes[0][:known] == resizes[1][:known]
        assert not set(resizes[0][known:]) & set(resizes[1][known:]) or min(first, second) % unit == 0
