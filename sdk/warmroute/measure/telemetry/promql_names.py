"""What detailed observability may call the metrics of vLLM: found among the names that there are, never assumed.

AWS's own pages disagree on the names, and CloudWatch answers one that it does not know with silence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = {
    "hit_tokens": ("vllm_prefix_cache_hits", "vllm_gpu_prefix_cache_hits"),
    "queried_tokens": ("vllm_prefix_cache_queries", "vllm_gpu_prefix_cache_queries"),
    "running": ("vllm_num_requests_running",),
    "waiting": ("vllm_num_requests_waiting", "queuedepth"),
    "kv_cache_usage": ("vllm_kv_cache_usage_perc", "vllm_gpu_cache_usage_perc", "kvcacheutilization"),
    "finished": ("vllm_request_success",),
    "ttft_bucket": ("vllm_time_to_first_token_seconds_bucket",),
    "ttft_count": ("vllm_time_to_first_token_seconds_count",),
    "ttft_sum": ("vllm_time_to_first_token_seconds_sum",),
}
"""For each figure the names that have been seen or documented, the surest first.

Compared without case, with every sign that is no letter or digit as ``_``, and without a last ``_total``.
"""


def discovered(present: Iterable[str]) -> dict[str, str]:
    """For each figure the name that there is; one that has none is left out.

    Args:
        present: Every name that CloudWatch has.
    """
    plain: dict[str, str] = {}
    for name in sorted(present):
        plain.setdefault(_plain(name), name)
    found = {figure: next((plain[word] for word in words if word in plain), None) for figure, words in WORDS.items()}
    return {figure: name for figure, name in found.items() if name is not None}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", name.lower()).removesuffix("_total")
