"""What a user can see of the local endpoint while it serves: metrics, its state, and a live page."""

from warmroute.local.observability.app import Observability

__all__ = ["Observability"]
