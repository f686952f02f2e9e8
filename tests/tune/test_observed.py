from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tune.made import letters, observed, row

from warmroute.traffic.digest.columns import LADDER

SIZES = st.lists(st.integers(600, 9_000), min_size=2, max_size=6)


@given(SIZES, SIZES)
def test_keys_between_the_ladder_part_texts_as_their_beginnings_do(ones: list[int], others: list[int]) -> None:
    texts = [letters("one", size) for size in ones] + [
        letters("one", 2_000) + letters("other", size) for size in others
    ]
    of = observed([row(text) for text in texts])

    for length in range(1_024, 8_193, 512):
        keys = of.keys("openai", length)
        assert [keys.index(key) for key in keys] == [
            [each[:length] for each in texts].index(text[:length]) for text in texts
        ]


def test_without_texts_blocks_of_tokens_stand_for_characters() -> None:
    rows = [row(None, chunks=[1, 2, number], chunk_tokens=512, input_tokens=1_500) for number in range(5)]
    of = observed(rows)

    assert of.apis() == ("openai",)
    assert of.lengths("openai")[:3] == [2_048, 4_096, 6_144]
    assert [len(set(of.keys("openai", length))) for length in (2_048, 4_096, 6_144)] == [1, 1, 5]


def test_an_api_is_known_by_nine_of_ten_and_the_rest_is_unlike_any() -> None:
    rows = [row(letters("same", 2_000)) for _ in range(18)] + [row(None), row(None)]

    assert observed(rows).apis() == ("openai",)
    assert len(set(observed(rows).keys("openai", 1_024))) == 3
    assert observed([*rows, row(None)]).apis() == ()


def test_an_id_keeps_equal_beginnings_apart() -> None:
    rows = [row(letters("same", 2_000), prefix_aware_id=each) for each in (1, 2, 1)]
    keys = observed(rows).keys("openai", LADDER[0])

    assert keys[0] == keys[2] != keys[1]


def test_bodies_have_keys_of_their_own() -> None:
    rows = [row(letters("same", 2_000), body=str(number) + letters("same", 2_000)) for number in range(3)]
    of = observed(rows)

    assert of.apis() == ("invoke", "openai")
    assert len(set(of.keys("invoke", 1_024))) == 3
    assert len(set(of.keys("openai", 1_024))) == 1
    assert of.lengths("invoke") == list(LADDER)
    assert of.is_shorter("invoke", 3_104) == [True, True, True]
