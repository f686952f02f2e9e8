"""What a caller can put right about a digest."""

from __future__ import annotations

from warmroute.errors import WarmrouteError


class DigestError(WarmrouteError):
    """A digest that cannot be read or made."""
