"""AIPerf's raw payloads: one request body a line, sent as it is.

AIPerf takes chats alone. Run it with ``aiperf profile --custom-dataset-type raw_payload``. Source: aiperf 0.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.bodies import one_line_body
from warmroute.traffic.writers.line_writer import LeftOutError, LineWriter

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class RawPayloadWriter(LineWriter):
    """Bodies, in the order of their arrival."""

    holds: ClassVar[frozenset[str]] = frozenset({"bodies", "texts"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """The body of a request."""
        body, value = one_line_body(request, adapted)
        if not isinstance(value.get("messages"), list):
            raise LeftOutError("a body that is no chat")
        return body
