"""The cache against published figures: an LRU over Mooncake's conversation trace, 512-token blocks.

Token-weighted hit rate over the last half of the requests, as llmtrafficlens 0.13.4 and kvcache-simulator publish it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from warmroute.fleet import KvCache, Prompt

TRACES = Path(os.environ.get("WARMROUTE_TRACES") or Path(__file__).parents[2] / "../shared/traces")
PUBLISHED = {
    16_384: 3.6,
    65_536: 4.5,
    262_144: 4.5,
    1_048_576: 5.6,
    4_194_304: 18.8,
    16_777_216: 35.6,
    1 << 40: 39.8,
}
BLOCK = 512


@pytest.fixture(scope="module")
def conversation() -> list[tuple[int, Prompt]]:
    return requests("conversation")


def requests(name: str) -> list[tuple[int, Prompt]]:
    trace = TRACES / "mooncake" / f"{name}_trace.jsonl"
    if not trace.exists():
        pytest.skip(f"No Mooncake trace at {trace}; set WARMROUTE_TRACES to the folder of the public traces.")
    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    # The published figures take a request's last block for a whole one and find all of it.
    return [(row["input_length"], Prompt(len(row["hash_ids"]) * BLOCK + 1, row["hash_ids"])) for row in rows]


def percent_found(asked: list[tuple[int, Prompt]], capacity_tokens: int, begin: int) -> tuple[float, float]:
    """By token and by block, from one request on."""
    cache = KvCache(capacity_tokens // BLOCK, block_size=BLOCK)
    found = [(tokens, prompt.blocks, cache.replay(prompt)) for tokens, prompt in asked][begin:]
    by_token = sum(min(tokens, hit) for tokens, _, hit in found) / sum(tokens for tokens, _, _ in found)
    by_block = sum(hit // BLOCK for _, _, hit in found) / sum(blocks for _, blocks, _ in found)
    return by_token * 100, by_block * 100


@pytest.mark.parametrize(("capacity_tokens", "percent"), PUBLISHED.items())
def test_the_hit_rate_is_the_published_one(conversation, capacity_tokens, percent):
    by_token, _ = percent_found(conversation, capacity_tokens, len(conversation) // 2)
    assert round(by_token, 1) == percent


def test_the_whole_trace_is_found_as_published(conversation):
    by_token, by_block = percent_found(conversation, 1 << 40, 0)
    assert (round(by_token, 2), round(by_block, 2)) == (37.36, 36.64)


def test_the_synthetic_trace_is_found_as_published():
    _, by_block = percent_found(requests("synthetic"), 1 << 40, 0)
    assert round(by_block, 1) == 64.0
