"""What a caller can put right about recorded traffic."""

from __future__ import annotations

from warmroute.errors import WarmrouteError


class TrafficError(WarmrouteError):
    """Recorded traffic that cannot be found, opened or understood at all."""


class BadEntryError(Exception):
    """An entry that is no request of its format; its reader's caller counts it among the rejects.

    Args:
        reason: What is wrong, as a fixed phrase: reasons are counted, and must hold nothing of a prompt.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DamagedError(Exception):
    """Compressed data that ends early or is not what it claims to be."""
