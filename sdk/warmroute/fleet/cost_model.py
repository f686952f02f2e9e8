"""How long an engine takes for a step, from what the step computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """The time of one model on one instance, linear in what a step computes.

    A step's matrix multiplications cost their weights' way through memory or their arithmetic, whichever is more;
    attention comes on top, for prefill by pairs of tokens, for decoding by KV tokens read.
    """

    floor_seconds: float
    """Least time of a step's matrix multiplications: reading the weights."""

    base_seconds: float
    """Part of their arithmetic that does not grow with tokens."""

    seconds_per_token: float
    """Part of their arithmetic for each new token in the step."""

    attention_seconds: float
    """Part of attention that every step pays."""

    seconds_per_decode_kv_token: float
    """Attention of decoding, for each KV token of each sequence that decodes."""

    seconds_per_prefill_pair: float
    """Attention of prefill, for each pair of a new token and one that it looks back at."""

    scale: float
    """What a real engine takes as a multiple of the sum of the above."""

    request_seconds: float
    """What a request takes once, outside the engine's steps: front end, tokenizer, network. Part of the TTFT."""

    kv_cache_tokens: int
    """Tokens whose keys and values fit the instance's memory beside the weights."""

    def step_seconds(self, new_tokens: int, decode_kv_tokens: int, prefills: Iterable[tuple[int, int]]) -> float:
        """Seconds of one step.

        Args:
            new_tokens: Tokens computed in the step, prefill and decoding together.
            decode_kv_tokens: KV tokens read by the sequences that compute one token; 0 when none does.
            prefills: For each sequence that computes more: its new tokens, and those it already has in the cache.
        """
        matrices = max(self.floor_seconds, self.base_seconds + self.seconds_per_token * new_tokens)
        pairs = sum(new * (cached + new / 2) for new, cached in prefills)
        kv_read = self.seconds_per_decode_kv_token * decode_kv_tokens + self.seconds_per_prefill_pair * pairs
        return self.scale * (matrices + self.attention_seconds + kv_read)


LLAMA_3_1_70B_8XH100 = CostModel(
    floor_seconds=8.5e-3,
    base_seconds=3.0e-3,
    seconds_per_token=34.7e-6,
    attention_seconds=1.0e-3,
    seconds_per_decode_kv_token=1.38e-8,
    seconds_per_prefill_pair=5.2e-10,
    scale=0.70,
    request_seconds=0.050,
    kv_cache_tokens=1_350_000,
)
"""Llama 3.1 70B, weights and KV cache in bfloat16, tensor-parallel over the 8 H100 of an ml.p5.48xlarge.

Fitted to measurements, ``floor_seconds`` to ``seconds_per_prefill_pair``: to sums over 80 layers of the kernel times
that NVIDIA's aiconfigurator measured on H100 SXM for vLLM 0.24 (matrix multiplication, FlashAttention 3, all-reduce
over 8). Prefill of 512 to 8,192 tokens in a step is within 5 % of those sums, decoding within 15 %; prefill of about
128 tokens comes out 15 % too short. No end-to-end run of this model on this instance is public.

Derived, ``kv_cache_tokens``: 327,680 bytes a token (80 layers, 8 KV heads of 128) in the memory that 90 % of 8 x 80
GB leaves beside weights and overhead, the overhead as measured by llm-d on 4 H100.

Calibrated, ``scale`` and ``request_seconds``: chosen, together with a workload, so that a simulated fleet of 7
instances shows the latencies and gains that AWS published for PREFIX_AWARE on this model and instance. The kernel
sums alone suggest 1.1 to 1.2 and a front end of 0.016 s, at which no such workload was found; the published figures
may rest on FP8 weights, or on shorter prompts than stated.
"""
