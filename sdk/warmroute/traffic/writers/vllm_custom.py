"""vLLM's custom data set: prompts as texts.

Format: ``{"prompt", "output_tokens"}``; vLLM refuses a file in which only some lines have the latter. The prompt is a
chat's texts without its roles: it has the shared beginnings and about the length of the real one, but not its template.
Run it with ``vllm bench serve --dataset-name custom --disable-shuffle``. Source: vLLM 0.32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.lengths import answer_tokens, prompt_text
from warmroute.traffic.writers.line_writer import LeftOutError, LineWriter, json_line

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class VllmCustomWriter(LineWriter):
    """Prompts, in the order of their arrival."""

    needs_answer_length: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"texts", "answer lengths"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Prompt and answer's length of a request."""
        if request.text is None:
            raise LeftOutError("no text")
        prompt = prompt_text(request)
        if not prompt:
            raise LeftOutError("an empty prompt")
        return json_line({"prompt": prompt, "output_tokens": answer_tokens(request, adapted)})
