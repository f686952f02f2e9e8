"""Where a user can see the local endpoint at work."""

from __future__ import annotations

from warmroute.measure.telemetry.local_names import METRICS_PATH

ROOT = "/_warmroute"
"""Beginning of the paths. No bucket of S3, the one API whose paths callers choose, has an underscore in its name."""

PAGE_PATH = f"{ROOT}/"
"""The live page."""

STATE_PATH = f"{ROOT}/state"
"""The state, as JSON."""

__all__ = ["METRICS_PATH", "PAGE_PATH", "ROOT", "STATE_PATH", "is_page"]


def is_page(path: str) -> bool:
    """Whether a path is one of these, or below them."""
    return path == ROOT or path.startswith(PAGE_PATH)
