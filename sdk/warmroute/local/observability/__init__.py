"""What a user can see of the local endpoint while it serves: metrics, its state, and a live page."""

from warmroute.local.observability.app import METRICS_PATH, PAGE_PATH, STATE_PATH, Observability

__all__ = ["METRICS_PATH", "PAGE_PATH", "STATE_PATH", "Observability"]
