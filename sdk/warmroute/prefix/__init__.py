"""What SageMaker compares of a request: its canonical bytes and its routing key."""

from __future__ import annotations

from warmroute.prefix.canonical import canonical_json
from warmroute.prefix.canonical_error import CanonicalJsonError
from warmroute.prefix.key import RoutingKey, routing_key

__all__ = ["CanonicalJsonError", "RoutingKey", "canonical_json", "routing_key"]
