"""How long an engine takes for a step, from what the step computes."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from warmroute.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

_Seconds = Annotated[float, Field(strict=False, ge=0)]  # YAML takes 1e-3, without a point, for text.


class CostModel(Settings):
    """The time of one model on one instance, linear in what a step computes.

    A step's matrix multiplications cost their weights' way through memory or their arithmetic, whichever is more;
    attention comes on top, for prefill by pairs of tokens, for decoding by KV tokens read.
    """

    floor_seconds: _Seconds = Field(gt=0)
    """Least time of a step's matrix multiplications: reading the weights."""

    base_seconds: _Seconds
    """Part of their arithmetic that does not grow with tokens."""

    seconds_per_token: _Seconds
    """Part of their arithmetic for each new token in the step."""

    attention_seconds: _Seconds
    """Part of attention that every step pays."""

    seconds_per_decode_kv_token: _Seconds
    """Attention of decoding, for each KV token of each sequence that decodes."""

    seconds_per_prefill_pair: _Seconds
    """Attention of prefill, for each pair of a new token and one that it looks back at."""

    scale: _Seconds = Field(gt=0)
    """What a real engine takes as a multiple of the sum of the above."""

    request_seconds: _Seconds
    """What a request takes once, outside the engine's steps: front end, tokenizer, network. Part of the TTFT."""

    kv_cache_tokens: int = Field(ge=1)
    """Tokens whose keys and values fit the instance's memory beside the weights."""

    seconds_per_host_token: _Seconds = 8.2e-7
    """Copying the keys and values of a token back from a second cache tier in the host's memory.

    Default: 327,680 bytes (Llama 3.1 70B in bfloat16) over 8 links of 50 GB/s, PCIe 5.0 x16 in practice.
    """

    seconds_per_transferred_token: _Seconds = 8.2e-7
    """Sending the keys and values of a token to another instance, where one does the prefill and another decodes.

    Default: 327,680 bytes over the 3,200 Gbit/s of EFA that an ml.p5.48xlarge has; a best case.
    """

    def step_seconds(self, new_tokens: int, decode_kv_tokens: int, prefills: Iterable[tuple[int, int]]) -> float:
        """Seconds of one step.

        Args:
            new_tokens: Tokens computed in the step, prefill and decoding together.
            decode_kv_tokens: KV tokens read by the sequences that compute one token; 0 when none does.
            prefills: For each sequence that computes more: its new tokens, and those it already has in the cache.
        """
        own = vars(self)  # Simulations ask often, and pydantic takes long to find an attribute.
        matrices = max(own["floor_seconds"], own["base_seconds"] + own["seconds_per_token"] * new_tokens)
        pairs = 0.0
        for new, cached in prefills:
            pairs += new * (cached + new / 2)
        kv_read = own["seconds_per_decode_kv_token"] * decode_kv_tokens + own["seconds_per_prefill_pair"] * pairs
        seconds: float = own["scale"] * (matrices + own["attention_seconds"] + kv_read)
        return seconds

    def decode_seconds(self, sequences: int, kv_tokens: int, steps: int) -> float:
        """Seconds of several steps in which the same sequences compute one token each.

        Args:
            sequences: How many they are.
            kv_tokens: KV tokens that they read in the first step; in each further one they read one more each.
            steps: How many steps.
        """
        own = vars(self)
        matrices = max(own["floor_seconds"], own["base_seconds"] + own["seconds_per_token"] * sequences)
        kv_read = own["seconds_per_decode_kv_token"] * (steps * kv_tokens + sequences * (steps * (steps - 1) // 2))
        seconds: float = own["scale"] * (steps * (matrices + own["attention_seconds"]) + kv_read)
        return seconds

    def decode_steps(self, sequences: int, kv_tokens: int, seconds: float) -> int:
        """The fewest steps, at least 1, whose `decode_seconds` reach so many seconds."""
        matrices = max(self.floor_seconds, self.base_seconds + self.seconds_per_token * sequences)
        square = self.scale * self.seconds_per_decode_kv_token * sequences / 2
        linear = (
            self.scale * (matrices + self.attention_seconds + self.seconds_per_decode_kv_token * kv_tokens) - square
        )
        # The positive root of square * n**2 + linear * n = seconds, in the form that also holds for no square term.
        root = 2 * seconds / (linear + sqrt(linear * linear + 4 * square * seconds))
        steps = max(1, ceil(root))
        # Rounding may have put it a step off.
        if self.decode_seconds(sequences, kv_tokens, steps) < seconds:
            return steps + 1
        if steps > 1 and self.decode_seconds(sequences, kv_tokens, steps - 1) >= seconds:
            return steps - 1
        return steps


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
