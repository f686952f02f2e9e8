"""Bearer tokens of SageMaker's OpenAI-compatible API, made on this machine without a network call.

A token is a presigned ``CallWithBearerToken`` request in base64, byte for byte that of
``sagemaker.core.token_generator.generate_token`` (sagemaker-core 2.12 and later). Whoever holds it can call endpoints
as its maker until it expires: do not store or log it.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

from warmroute.client.errors import MissingCredentialsError
from warmroute.client.names import checked_region
from warmroute.errors import Finding, InvalidSettingsError, Severity

if TYPE_CHECKING:
    from botocore.credentials import Credentials

MAX_LIFETIME_SECONDS = 43_200
"""Source: sagemaker-core ``TOKEN_DURATION``."""

LIFETIME_SECONDS = 900
"""Lifetime of a token that serves one request: short, yet longer than clocks are usually apart."""


class BearerTokens:
    """Makes a new token at every call, from the credentials that the session has at that time.

    Args:
        region: Region of the endpoint; without one, ``AWS_REGION`` and then that of the session.
        session: A boto3 or botocore session; without one, a new boto3 session.
        lifetime_seconds: How long a token is good for, 1 to 43,200 seconds, if the credentials last that long.

    Raises:
        MissingCredentialsError: No region is known.
        InvalidSettingsError: The region or the lifetime is malformed.
    """

    def __init__(
        self, region: str | None = None, session: Any = None, *, lifetime_seconds: int = LIFETIME_SECONDS
    ) -> None:
        if type(lifetime_seconds) is not int or not 1 <= lifetime_seconds <= MAX_LIFETIME_SECONDS:
            fault, remedy = f"{lifetime_seconds!r} is out of range.", "Use 1 to 43,200 seconds."
            source = "sagemaker-core TOKEN_DURATION"
            raise InvalidSettingsError([Finding("WR004", Severity.ERROR, "lifetime_seconds", fault, remedy, source)])
        self._session = _new_session() if session is None else session
        self.region = checked_region(region or _region_of(self._session))
        self._lifetime_seconds = lifetime_seconds

    def __call__(self) -> str:
        """A new token.

        Raises:
            MissingCredentialsError: The session has no credentials.
        """
        credentials = self._session.get_credentials()
        if credentials is None:
            raise MissingCredentialsError(
                "A bearer token needs AWS credentials, and the session has none.",
                "Configure them as for boto3, or pass session=.",
            )
        return bearer_token(credentials, self.region, lifetime_seconds=self._lifetime_seconds)


def bearer_token(credentials: Credentials, region: str, *, lifetime_seconds: int) -> str:
    """A token of these credentials.

    Args:
        credentials: As botocore gives them.
        region: Region of the endpoint.
        lifetime_seconds: How long the token is good for, if the credentials last that long.
    """
    from botocore.auth import SigV4QueryAuth
    from botocore.awsrequest import AWSRequest

    host = "sagemaker.amazonaws.com"
    request = AWSRequest("POST", f"https://{host}/", {"host": host}, params={"Action": "CallWithBearerToken"})
    # One snapshot: credentials that are refreshed while they sign would mix two sets.
    frozen = credentials.get_frozen_credentials()
    SigV4QueryAuth(frozen, "sagemaker", region, expires=lifetime_seconds).add_auth(request)
    presigned = request.url.removeprefix("https://") + "&Version=1"
    return "sagemaker-api-key-" + base64.b64encode(presigned.encode()).decode()


def _new_session() -> Any:
    from boto3.session import Session

    return Session()


def _region_of(session: Any) -> str:
    # A botocore session keeps its region among its configuration, a boto3 session as an attribute.
    configured = getattr(session, "region_name", None) or getattr(session, "get_config_variable", lambda _: None)(
        "region"
    )
    region = os.environ.get("AWS_REGION") or configured
    if not region:
        raise MissingCredentialsError("A bearer token needs a region, and none is configured.", "Pass region=.")
    return str(region)
