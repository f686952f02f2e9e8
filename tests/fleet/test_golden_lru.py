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
TRACE = TRACES / "mooncake" / "conversation_trace.jsonl"
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
def requests() -> list[tuple[int, Prompt]]:
    if not TRACE.exists():
        pytest.skip(f"No Mooncake trace at {TRACE}; set WARMROUTE_TRACES to the folder of the public traces.")
    rows = [json.loads(line) for line in TRACE.read_text().splitlines()]
    # The published figures take a request's last block for a whole one and find all of it.
    return [
        (
            row["input_length"],
            Prompt(len(row["hash_ids"]) * BLOCK + 1, tuple(block.to_bytes(8, "big") for block in row["hash_ids"])),
        )
        for row in rows
    ]


@pytest.mark.parametrize(("capacity_tokens", "percent"), PUBLISHED.items())
def test_the_hit_rate_is_the_published_one(requests, capacity_tokens, percent):
    cache = KvCache(capacity_tokens // BLOCK, block_size=BLOCK)
    found = [min(cache.replay(prompt), tokens) for tokens, prompt in requests]
    half = len(requests) // 2
    rate = sum(found[half:]) / sum(tokens for tokens, _ in requests[half:])
    assert round(rate * 100, 1) == percent
