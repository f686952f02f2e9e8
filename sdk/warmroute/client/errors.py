"""What can be wrong with the client or the session that a helper is given."""

from __future__ import annotations

from warmroute.errors import WarmrouteError


class UnsupportedClientError(WarmrouteError, TypeError):
    """A client that the helper does not know: another service's, another library's, or no client at all."""


class UnsupportedSessionError(WarmrouteError, TypeError):
    """A session that cannot give credentials, or only to callers that await them."""


class MissingCredentialsError(WarmrouteError):
    """A session without credentials."""


class MissingRegionError(WarmrouteError):
    """No region is given, and none is configured."""
