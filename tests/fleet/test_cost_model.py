"""The cost model against the kernel sums that it is fitted to, in milliseconds."""

from __future__ import annotations

import pytest

from warmroute.fleet import LLAMA_3_1_70B_8XH100

KERNELS = LLAMA_3_1_70B_8XH100.model_copy(update={"scale": 1.0})


@pytest.mark.parametrize(
    ("new_tokens", "matrices", "attention"),
    [(512, 20.7, 1.5), (1_024, 37.2, 2.0), (2_048, 71.2, 3.1), (4_096, 143.2, 5.6), (8_192, 286.7, 17.7)],
)
def test_prefill_is_within_five_percent_of_the_kernels(new_tokens, matrices, attention):
    seconds = KERNELS.step_seconds(new_tokens, 0, [(new_tokens, 0)])
    assert seconds * 1_000 == pytest.approx(matrices + attention, rel=0.05)


@pytest.mark.parametrize(
    ("context", "sequences", "milliseconds"),
    [
        (2_048, [8, 32, 64, 128], [9.4, 10.2, 12.6, 14.8]),
        (4_096, [8, 32, 64, 128], [9.5, 11.7, 14.2, 18.2]),
        (8_192, [8, 32, 64, 128], [9.6, 13.4, 17.7, 24.9]),
        (16_384, [8, 32, 64, 128], [11.2, 16.8, 24.6, 38.5]),
    ],
)
def test_decoding_is_within_fifteen_percent_of_the_kernels(context, sequences, milliseconds):
    seconds = [KERNELS.step_seconds(count, count * context, []) for count in sequences]
    assert [1_000 * step for step in seconds] == pytest.approx(milliseconds, rel=0.15)


def test_what_is_cached_still_has_to_be_looked_back_at():
    cold = LLAMA_3_1_70B_8XH100.step_seconds(8_000, 0, [(8_000, 0)])
    warm = LLAMA_3_1_70B_8XH100.step_seconds(100, 0, [(100, 7_900)])
    alone = LLAMA_3_1_70B_8XH100.step_seconds(100, 0, [(100, 0)])
    assert alone < warm < cold / 10


def test_a_miss_of_eight_thousand_tokens_costs_what_aws_saved():
    """Published medians: 280 ms at random, 63 ms prefix-aware; a hit waits for others' steps, too."""
    miss = LLAMA_3_1_70B_8XH100.step_seconds(8_120, 0, [(8_120, 0)])
    hit = LLAMA_3_1_70B_8XH100.step_seconds(120, 0, [(120, 8_000)])
    assert miss - hit == pytest.approx(0.217, rel=0.1)
    assert hit + LLAMA_3_1_70B_8XH100.request_seconds == pytest.approx(0.063, rel=0.15)
