"""vLLM's custom data set: prompts as texts.

Format: ``{"prompt", "output_tokens"}``, the latter left out where nothing tells it. The prompt is a chat's texts
without its roles: it has the shared beginnings and about the length of the real one, but not its template.
Run it with ``vllm bench serve --dataset-name custom``. Source: vLLM 0.32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.writers.lengths import answer_tokens, prompt_text
from warmroute.traffic.writers.line_writer import LeftOutError, LineWriter, json_line

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class VllmCustomWriter(LineWriter):
    """Prompts, in the order of their arrival."""

    holds: ClassVar[frozenset[str]] = frozenset({"texts", "answer lengths"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Prompt and answer's length of a request."""
        if request.text is None:
            raise LeftOutError("no text")
        members: dict[str, Any] = {"prompt": prompt_text(request)}
        if not members["prompt"]:
            raise LeftOutError("an empty prompt")
        if (tokens := answer_tokens(request, adapted)) is not None:
            members["output_tokens"] = tokens
        return json_line(members)
