"""The KV cache against published hit rates: one LRU over Mooncake's traces, 512-token blocks."""

from typing import Any

from benchmarks.fleet_mooncake import BLOCK, rows
from benchmarks.fleet_report import band
from warmroute.fleet import KvCache, Prompt

PUBLISHED = {1 << 14: 3.6, 1 << 16: 4.5, 1 << 18: 4.5, 1 << 20: 5.6, 1 << 22: 18.8, 1 << 24: 35.6, 1 << 40: 39.8}
"""Percent of the tokens of the last half of the requests, by capacity in tokens (llmtrafficlens, kvcache-simulator)."""

WHOLE = {"by token": 37.36, "by block": 36.64}


def run() -> None:
    """Hit rates in percent, within 0.1 point."""
    conversation, synthetic = rows("conversation"), rows("synthetic")
    if conversation is None or synthetic is None:
        return
    print("Mooncake conversation, one LRU, hits in %")
    for capacity, published in PUBLISHED.items():
        by_token, _ = hit_rates(conversation, capacity, len(conversation) // 2)
        name = "unbounded" if capacity == 1 << 40 else f"{capacity // 1024:,}K tokens"
        band(f"  last half, {name}", by_token, f"{published}", published - 0.1, published + 0.1)
    for name, rate, published in zip(WHOLE, hit_rates(conversation, 1 << 40, 0), WHOLE.values(), strict=True):
        band(f"  whole trace, unbounded, {name}", rate, f"{published}", published - 0.1, published + 0.1)
    band("Mooncake synthetic, unbounded, by block", hit_rates(synthetic, 1 << 40, 0)[1], "64.0", 63.9, 64.1)


def hit_rates(trace: list[dict[str, Any]], capacity_tokens: int, begin: int) -> tuple[float, float]:
    """Percent of tokens and of blocks found, from one request on."""
    cache = KvCache(capacity_tokens // BLOCK, block_size=BLOCK)
    # The published figures take a request's last block for a whole one and find all of it.
    blocks = [cache.replay(Prompt(len(row["hash_ids"]) * BLOCK + 1, row["hash_ids"])) // BLOCK for row in trace]
    tokens = [min(found * BLOCK, row["input_length"]) for found, row in zip(blocks, trace, strict=True)]
    return (
        100 * sum(tokens[begin:]) / sum(row["input_length"] for row in trace[begin:]),
        100 * sum(blocks[begin:]) / sum(len(row["hash_ids"]) for row in trace[begin:]),
    )
