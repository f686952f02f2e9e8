"""Mooncake's traces: when, how long, and which blocks of 512 tokens; no text.

Format: ``{"timestamp": milliseconds, "input_length", "output_length", "hash_ids": [number, …]}``, one name for each
block of the prompt. Names made of texts are hashes without a key: who guesses a text can confirm the guess. The
anonymised export is for sharing. Source: kvcache-ai/Mooncake, FAST25-release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.lengths import answer_tokens, prompt_blocks
from warmroute.traffic.writers.line_writer import LineWriter, json_line, with_first_member

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest

BLOCK_TOKENS = 512


class MooncakeWriter(LineWriter):
    """Lines of a Mooncake trace."""

    has_times: ClassVar[bool] = True
    needs_answer_length: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"arrival times", "block hashes", "answer lengths"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Lengths and blocks of a request."""
        tokens, names = prompt_blocks(request, BLOCK_TOKENS, adapted)
        answer = answer_tokens(request, adapted)
        return json_line({"input_length": tokens, "output_length": answer, "hash_ids": names})

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in whole milliseconds."""
        return with_first_member(line, "timestamp", round(seconds * 1_000))
