"""Requests as they were really made: the record of one, and readers of public formats."""

from warmroute.traffic.conversation import ChatRequest
from warmroute.traffic.tau_bench import read_tau_bench

__all__ = ["ChatRequest", "read_tau_bench"]
