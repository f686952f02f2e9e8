"""What the servers themselves counted during a run: beside the client's figures, and never in place of them."""

from warmroute.measure.telemetry.observer import Observer
from warmroute.measure.telemetry.run_telemetry import Overflow, OverflowBasis, Point, RunTelemetry, ServerTtft

__all__ = ["Observer", "Overflow", "OverflowBasis", "Point", "RunTelemetry", "ServerTtft"]
