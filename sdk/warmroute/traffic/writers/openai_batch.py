"""OpenAI's batch format: one request to a chat or completions API a line.

Format: ``{"custom_id", "method": "POST", "url", "body": {…}}``; ids number the requests in the order of the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.bodies import one_line_body
from warmroute.traffic.writers.line_writer import LeftOutError, LineWriter, json_line

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest

_URLS = {"messages": "/v1/chat/completions", "prompt": "/v1/completions"}
"""The API of a body, by the member that only its bodies have."""


class OpenAIBatchWriter(LineWriter):
    """Lines of a batch, in the order of their requests' arrival."""

    holds: ClassVar[frozenset[str]] = frozenset({"bodies", "texts"})

    def __init__(self) -> None:
        self._count = 0

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """The body of a request, with an id of its own."""
        body, value = one_line_body(request, adapted)
        url = next((url for member, url in _URLS.items() if member in value), None)
        if url is None:
            raise LeftOutError("a body of neither chat nor completion")
        self._count += 1
        lead = json_line({"custom_id": f"request-{self._count}", "method": "POST", "url": url})
        return lead[:-1] + b',"body":' + body + b"}"
