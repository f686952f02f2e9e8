"""The live page: one HTML document that holds its style and its script, and asks for nothing but the state."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

_FILES = files("warmroute.local.observability")


def _text(name: str) -> str:
    return (_FILES / "page" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_STYLE, _SCRIPT = _text("page.css"), _text("page.js")

PAGE = _text("page.html").replace("/* style */", _STYLE).replace("/* script */", _SCRIPT)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src {_hash(_STYLE)}",
        f"script-src {_hash(_SCRIPT)}",
        "img-src data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The browser itself sees to it that the page loads nothing and asks nobody else."""
