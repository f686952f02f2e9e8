"""What can go wrong between a request and the end of its answer."""

from __future__ import annotations


class ExchangeError(Exception):
    """A request without a complete answer.

    Args:
        reason: A fixed phrase, for the record of the request.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
