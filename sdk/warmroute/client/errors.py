"""What can be wrong with the client or the session that a helper is given."""

from __future__ import annotations

from warmroute.errors import WarmrouteError


class UnsupportedClientError(WarmrouteError, TypeError):
    """A client that the helper does not know: another service's, another library's, or no client at all."""


class MissingCredentialsError(WarmrouteError):
    """A session without credentials or without a region."""
