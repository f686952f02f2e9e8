"""The checks across fields, one small function a rule; importing this package puts them in force."""

from warmroute.hosting.checks import (
    arguments,
    components,
    endpoint,
    engine,
    guardrails,
    routing,
    scaling,
    silence,
    variants,
)

__all__ = ["arguments", "components", "endpoint", "engine", "guardrails", "routing", "scaling", "silence", "variants"]
