"""AIPerf's form of a Mooncake trace that sends each body as it was, at its time.

Format: ``{"timestamp": milliseconds, "session_id", "output_length", "payload": {…}}``, the last but one left out where
nothing tells it. Run it with ``aiperf profile --custom-dataset-type mooncake_trace --fixed-schedule``. AIPerf sends the
turns of a session one after the other, never before the answer to the one before.
Source: ``MooncakeTrace`` of aiperf 0.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.writers.bodies import one_line_body
from warmroute.traffic.writers.lengths import answer_tokens
from warmroute.traffic.writers.line_writer import LineWriter, json_line, with_first_member

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest


class AiperfWriter(LineWriter):
    """Lines of a trace with payloads."""

    has_times: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset({"arrival times", "sessions", "bodies", "texts", "answer lengths"})

    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """Session, answer's length and body of a request."""
        body, _ = one_line_body(request, adapted)
        members: dict[str, Any] = {}
        if request.session:
            members["session_id"] = request.session
        if (tokens := answer_tokens(request, adapted)) is not None:
            members["output_length"] = tokens
        lead = json_line(members)[:-1]
        return lead + (b"," if members else b"") + b'"payload":' + body + b"}"

    def with_time(self, line: bytes, seconds: float) -> bytes:
        """The line with its time in whole milliseconds."""
        return with_first_member(line, "timestamp", round(seconds * 1_000))
