"""AIPerf's raw payloads: one request body a line, sent as it is.

Run it with ``aiperf profile --custom-dataset-type raw_payload``. Source: aiperf 0.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from warmroute.traffic.writers.bodies import one_line_body
from warmroute.traffic.writers.line_writer import LineWriter

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class RawPayloadWriter(LineWriter):
    """Bodies, in the order of their arrival."""

    holds: ClassVar[frozenset[str]] = frozenset({"bodies", "texts"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """The body of a request."""
        return one_line_body(request, adapted)[0]
