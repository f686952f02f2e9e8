"""Bearer tokens of SageMaker's OpenAI-compatible API, made on this machine without a network call.

A token is a presigned ``CallWithBearerToken`` request in base64, byte for byte that of
``sagemaker.core.token_generator.generate_token`` (sagemaker-core 2.12 and later). Whoever holds it can call endpoints
as its maker until it expires: do not store or log it.
"""

from __future__ import annotations

import base64
import inspect
import os
from typing import TYPE_CHECKING, Any

from warmroute.client.errors import MissingCredentialsError, MissingRegionError, UnsupportedSessionError
from warmroute.client.names import checked_region
from warmroute.errors import Finding, InvalidSettingsError, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.credentials import ReadOnlyCredentials

MAX_LIFETIME_SECONDS = 43_200
"""Source: sagemaker-core ``TOKEN_DURATION``."""

LIFETIME_SECONDS = 900
"""Lifetime of a token that serves one request: short, yet longer than clocks are usually apart."""


class _Tokens:
    """Where and for how long tokens are good, and who gives the credentials."""

    def __init__(
        self, region: str | None = None, session: Any = None, *, lifetime_seconds: int = LIFETIME_SECONDS
    ) -> None:
        if type(lifetime_seconds) is not int or not 1 <= lifetime_seconds <= MAX_LIFETIME_SECONDS:
            fault, remedy = f"{lifetime_seconds!r} is out of range.", "Use 1 to 43,200 seconds."
            source = "sagemaker-core TOKEN_DURATION"
            raise InvalidSettingsError([Finding("WR004", Severity.ERROR, "lifetime_seconds", fault, remedy, source)])
        self._session = _new_session() if session is None else _checked(session)
        self.region = checked_region(region or _region_of(self._session))
        self._lifetime_seconds = lifetime_seconds

    def _token(self, frozen: Any) -> str:
        return _signed(frozen, self.region, self._lifetime_seconds)


class BearerTokens(_Tokens):
    """Makes a new token at every call, from the credentials that the session has at that time.

    Args:
        region: Region of the endpoint; without one, ``AWS_REGION`` and then that of the session.
        session: A boto3 or botocore session; without one, a new boto3 session. ``AsyncBearerTokens`` takes those of
            aiobotocore and aioboto3.
        lifetime_seconds: How long a token is good for, 1 to 43,200 seconds, if the credentials last that long.

    Raises:
        MissingRegionError: No region is known.
        UnsupportedSessionError: The session is of another kind.
        InvalidSettingsError: The region or the lifetime is malformed.
    """

    def __call__(self) -> str:
        """A new token.

        Raises:
            MissingCredentialsError: The session has no credentials.
            UnsupportedSessionError: They would have to be awaited.
        """
        credentials = self._session.get_credentials()
        if inspect.iscoroutine(credentials):
            credentials.close()
            raise UnsupportedSessionError(
                f"session: the credentials of a {type(self._session).__module__} session have to be awaited.",
                "Use async_client or AsyncBearerTokens, or give a boto3 session.",
            )
        # One snapshot: credentials that are refreshed while they sign would mix two sets.
        return self._token(_found(credentials).get_frozen_credentials())


class AsyncBearerTokens(_Tokens):
    """As ``BearerTokens``, for callers that await each token, and for sessions of aiobotocore and aioboto3 too.

    Credentials of a boto3 session are asked for in a thread, since they may have to be refreshed over the network.

    Args:
        region: Region of the endpoint; without one, ``AWS_REGION`` and then that of the session.
        session: A boto3, botocore, aiobotocore or aioboto3 session; without one, a new boto3 session.
        lifetime_seconds: How long a token is good for, 1 to 43,200 seconds, if the credentials last that long.

    Raises:
        MissingRegionError: No region is known.
        UnsupportedSessionError: The session is of another kind.
        InvalidSettingsError: The region or the lifetime is malformed.
    """

    async def __call__(self) -> str:
        """A new token.

        Raises:
            MissingCredentialsError: The session has no credentials.
        """
        credentials = _found(await _from_a_thread(self._session.get_credentials))
        return self._token(await _from_a_thread(credentials.get_frozen_credentials))


def _signed(frozen: ReadOnlyCredentials, region: str, lifetime_seconds: int) -> str:
    from botocore.auth import SigV4QueryAuth
    from botocore.awsrequest import AWSRequest

    host = "sagemaker.amazonaws.com"
    request = AWSRequest("POST", f"https://{host}/", {"host": host}, params={"Action": "CallWithBearerToken"})
    SigV4QueryAuth(frozen, "sagemaker", region, expires=lifetime_seconds).add_auth(request)
    presigned = request.url.removeprefix("https://") + "&Version=1"
    return "sagemaker-api-key-" + base64.b64encode(presigned.encode()).decode()


def _found(credentials: Any) -> Any:
    if credentials is None:
        raise MissingCredentialsError(
            "A bearer token needs AWS credentials, and the session has none.",
            "Configure them as for boto3, or pass session=.",
        )
    return credentials


async def _from_a_thread(find: Callable[[], Any]) -> Any:
    """What a session answers, at once or to those who await it."""
    import anyio.to_thread

    answer = await anyio.to_thread.run_sync(find)
    return await answer if inspect.isawaitable(answer) else answer


def _checked(session: Any) -> Any:
    if not callable(getattr(session, "get_credentials", None)):
        raise UnsupportedSessionError(
            f"session: a {type(session).__name__} gives no credentials.", "Use boto3.Session(…), or leave it out."
        )
    return session


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
        raise MissingRegionError(
            "region: none is given, and none is configured.",
            "Pass the endpoint's as region=, set AWS_REGION, or give the AWS profile or the session a region.",
        )
    return str(region)
