"""Who sends a request, as its credentials claim: account and region. Signatures are not verified here."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

from warmroute.local.control import account_of
from warmroute.local.data.failures import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

TOKEN_PREFIX = "sagemaker-api-key-"  # noqa: S105 - the beginning of every token, not one.
"""Source: ``sagemaker.core.token_generator``."""

_SIGNED = re.compile(r"Credential=([^/]+)/\d{8}/([a-z0-9-]+)/sagemaker/")


class Caller(NamedTuple):
    """Where a request's endpoint is looked for."""

    account: str
    region: str


def signed_caller(headers: Mapping[str, str]) -> Caller:
    """The caller of a request that is signed with AWS's Signature Version 4.

    Raises:
        Refusal: It is not signed for sagemaker.
    """
    found = _SIGNED.search(headers.get("authorization", ""))
    if found is None:
        raise Refusal("MissingAuthenticationTokenException", 403, "The request is not signed for sagemaker.")
    return Caller(account_of(found[1]), found[2])


def bearer_caller(headers: Mapping[str, str]) -> Caller:
    """The caller of a request with a bearer token of the OpenAI-compatible API.

    A token is a presigned request, so that it can be read here: its form, region and expiry are checked.

    Raises:
        Refusal: There is no token, it has another form, or it has expired.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise _denied("The request has no bearer token.")
    fields = _token_fields(token.strip())
    credential = fields.get("X-Amz-Credential", "").split("/")
    if fields.get("Action") != "CallWithBearerToken" or len(credential) != 5 or credential[3] != "sagemaker":
        raise _denied("The bearer token is not one for sagemaker.")
    try:
        begins = datetime.strptime(fields["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        expires = begins + timedelta(seconds=int(fields["X-Amz-Expires"]))
    except (KeyError, ValueError, OverflowError):
        raise _denied("The bearer token names no time.") from None
    if datetime.now(UTC) >= expires:
        raise _denied(f"The bearer token expired at {expires:%Y-%m-%dT%H:%M:%SZ}.")
    return Caller(account_of(credential[0]), credential[2])


def _token_fields(token: str) -> dict[str, str]:
    if not token.startswith(TOKEN_PREFIX):
        raise _denied(f"The bearer token does not begin with {TOKEN_PREFIX}.")
    try:
        request = base64.b64decode(token.removeprefix(TOKEN_PREFIX), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise _denied("The bearer token is not base64.") from None
    return {name: values[0] for name, values in parse_qs(urlsplit(f"https://{request}").query).items()}


def _denied(message: str) -> Refusal:
    return Refusal("AccessDeniedException", 403, message)
