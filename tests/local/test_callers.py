"""Who a request comes from, by its signature or its bearer token."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest

from warmroute.local.data.callers import TOKEN_PREFIX, bearer_caller, signed_caller
from warmroute.local.data.failures import Refusal

NOW = datetime.now(UTC)


def _token(request: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKEN_PREFIX}{base64.b64encode(request.encode()).decode()}"}


def _presigned(begins: datetime, seconds: str = "3600", service: str = "sagemaker") -> str:
    return (
        "sagemaker.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256"
        f"&X-Amz-Credential=local%2F20261130%2Feu-west-1%2F{service}%2Faws4_request"
        f"&X-Amz-Date={begins:%Y%m%dT%H%M%SZ}&X-Amz-Expires={seconds}&X-Amz-Signature=0&Version=1"
    )


def test_a_signature_names_account_and_region() -> None:
    scope = "AWS4-HMAC-SHA256 Credential=local/20261130/us-west-2/sagemaker/aws4_request, SignedHeaders=host"

    assert signed_caller({"authorization": scope}) == ("123456789012", "us-west-2")


def test_a_token_names_account_and_region() -> None:
    assert bearer_caller(_token(_presigned(NOW))) == ("123456789012", "eu-west-1")


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({}, "no bearer token"),
        ({"authorization": "Basic abc"}, "no bearer token"),
        ({"authorization": "Bearer sk-1"}, "does not begin with sagemaker-api-key-"),
        ({"authorization": f"Bearer {TOKEN_PREFIX}***"}, "is not base64"),
        ({"authorization": f"Bearer {TOKEN_PREFIX}/w=="}, "is not base64"),
        (_token("example.com/?Action=Other"), "not one for sagemaker"),
        (_token(_presigned(NOW, service="s3")), "not one for sagemaker"),
        (_token(_presigned(NOW, seconds="soon")), "names no time"),
        (_token(_presigned(NOW, seconds="9" * 30)), "names no time"),
        (_token(_presigned(NOW - timedelta(hours=2))), "expired at"),
    ],
)
def test_other_tokens_are_refused(headers: dict[str, str], says: str) -> None:
    with pytest.raises(Refusal, match=says) as refusal:
        bearer_caller(headers)

    assert refusal.value.status == 403


@pytest.mark.parametrize("authorization", ["", "Bearer x", "AWS4-HMAC-SHA256 Credential=a/20261130/us-east-1/s3/aws4"])
def test_a_request_that_is_not_signed_for_sagemaker_is_refused(authorization: str) -> None:
    with pytest.raises(Refusal, match="not signed for sagemaker"):
        signed_caller({"authorization": authorization})
