"""Traces of block hashes: when, how long, and which blocks of tokens; no text.

Format: ``{"timestamp", "input_length", "output_length", "hash_ids": [number, …]}``, one name for each block of the
prompt. Names made of texts are hashes without a key: who guesses a text can confirm the guess. The anonymised export
is for sharing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.lengths import answer_tokens, prompt_blocks
from warmroute.traffic.writers.line_writer import LineWriter, json_line, with_first_member

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class MooncakeWriter(LineWriter):
    """Mooncake's traces. Source: kvcache-ai/Mooncake, FAST25-release."""

    has_times: ClassVar[bool] = True
    needs_answer_length: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"arrival times", "block hashes", "answer lengths"})
    block_tokens: ClassVar[int] = 512

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Lengths and blocks of a request."""
        tokens, names = prompt_blocks(request, self.block_tokens, adapted)
        answer = answer_tokens(request, adapted)
        return json_line({"input_length": tokens, "output_length": answer, "hash_ids": names})

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in whole milliseconds."""
        return with_first_member(line, "timestamp", round(seconds * 1_000))


class VllmTimedTraceWriter(MooncakeWriter):
    """vLLM's timed trace, in the form of its defaults: ``vllm bench serve --dataset-name timed_trace --self-timed``.

    It sends the same prompts in every run where the environment variable ``PYTHONHASHSEED`` is set, and 1,000 of them
    unless ``--num-prompts`` tells another number. Source: vLLM 0.32.
    """

    block_tokens: ClassVar[int] = 16

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in seconds, to the microsecond."""
        return with_first_member(line, "timestamp", round(seconds, 6))
