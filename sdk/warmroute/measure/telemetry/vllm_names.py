"""What vLLM calls its metrics, in the releases that AWS's containers have had.

Source: vLLM ``vllm/v1/metrics/loggers.py`` of 0.32; ``vllm/engine/metrics.py`` and V1 of the releases up to 0.10, which
said ``gpu_`` first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def _spellings(*stems: str) -> tuple[str, ...]:
    return tuple(f"vllm:{stem}" for stem in stems)


HIT_TOKENS = _spellings("prefix_cache_hits_total", "prefix_cache_hits", "gpu_prefix_cache_hits_total")
QUERIED_TOKENS = _spellings("prefix_cache_queries_total", "prefix_cache_queries", "gpu_prefix_cache_queries_total")
RUNNING = _spellings("num_requests_running")
WAITING = _spellings("num_requests_waiting")
KV_CACHE_USAGE = _spellings("kv_cache_usage_perc", "gpu_cache_usage_perc")
FINISHED = _spellings("request_success_total")
"""Requests that are over, by ``finished_reason``."""

TTFT_BUCKET = _spellings("time_to_first_token_seconds_bucket")
TTFT_COUNT = _spellings("time_to_first_token_seconds_count")
TTFT_SUM = _spellings("time_to_first_token_seconds_sum")

ALL = (
    *(*HIT_TOKENS, *QUERIED_TOKENS, *RUNNING, *WAITING, *KV_CACHE_USAGE, *FINISHED),
    *(*TTFT_BUCKET, *TTFT_COUNT, *TTFT_SUM),
)


def spelling(spellings: Iterable[str], present: Iterable[str]) -> str | None:
    """The first of a metric's names that a server has; None for none."""
    there = set(present)
    return next((name for name in spellings if name in there), None)
