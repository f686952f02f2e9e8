"""How the helpers write a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Encode: TypeAlias = Callable[[Any], bytes]
"""From a request, as Python values or JSON text, to the bytes to send.

It is ``warmroute.prefix.canonical_json``, or ``functools.partial`` of it with another ``order`` or ``prompt_changes``.
All clients of an endpoint need the same one.
"""
