"""vLLM's timed trace: when, how long, and which blocks of 16 tokens; no text.

Format: ``{"timestamp": seconds, "input_length", "output_length", "hash_ids": [number, …]}``. vLLM's defaults fit it:
``vllm bench serve --dataset-name timed_trace --self-timed``. It sends the same prompts in every run where the
environment variable ``PYTHONHASHSEED`` is set. Source: vLLM 0.32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.lengths import answer_tokens, prompt_blocks
from warmroute.traffic.writers.line_writer import LineWriter, json_line, with_first_member

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 16


class VllmTimedTraceWriter(LineWriter):
    """Lines of a timed trace."""

    has_times: ClassVar[bool] = True
    needs_answer_length: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"arrival times", "block hashes", "answer lengths"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Lengths and blocks of a request."""
        tokens, names = prompt_blocks(request, BLOCK_TOKENS, adapted)
        answer = answer_tokens(request, adapted)
        return json_line({"input_length": tokens, "output_length": answer, "hash_ids": names})

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in seconds, to the microsecond."""
        return with_first_member(line, "timestamp", round(seconds, 6))
