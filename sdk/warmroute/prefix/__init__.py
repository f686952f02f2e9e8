"""What SageMaker compares of a request: its canonical bytes, its routing key, and why two requests part."""

from __future__ import annotations

from warmroute.prefix.canonical import canonical_json
from warmroute.prefix.canonical_error import CanonicalJsonError
from warmroute.prefix.cause import Cause
from warmroute.prefix.diverge import Affected, Divergence, Parting, explain
from warmroute.prefix.field_order import FieldOrder
from warmroute.prefix.key import RoutingKey, routing_key
from warmroute.prefix.lint import RULES as LINT_RULES
from warmroute.prefix.lint import LintFinding, lint
from warmroute.prefix.prompt_changes import PromptChanges
from warmroute.prefix.volatile import Volatile, find_volatile
from warmroute.prefix.volatile_kind import VolatileKind

__all__ = [
    "LINT_RULES",
    "Affected",
    "CanonicalJsonError",
    "Cause",
    "Divergence",
    "FieldOrder",
    "LintFinding",
    "Parting",
    "PromptChanges",
    "RoutingKey",
    "Volatile",
    "VolatileKind",
    "canonical_json",
    "explain",
    "find_volatile",
    "lint",
    "routing_key",
]
