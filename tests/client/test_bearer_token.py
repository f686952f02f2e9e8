"""Bearer tokens: what is in them, and that sagemaker-core makes the same."""

import asyncio
import base64
import datetime as dt
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore.auth
import botocore.session
import pytest
from boto3.session import Session
from botocore.credentials import Credentials

from warmroute.client.bearer_token import AsyncBearerTokens, BearerTokens
from warmroute.client.errors import MissingCredentialsError, MissingRegionError, UnsupportedSessionError
from warmroute.errors import InvalidSettingsError

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: NOW.replace(tzinfo=None))
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def session(token: str | None = None, region: str | None = "eu-west-1") -> Session:
    return Session("AKIDEXAMPLE", "secret", token, region_name=region)


def query(token: str) -> dict[str, list[str]]:
    url = base64.b64decode(token.removeprefix("sagemaker-api-key-")).decode()
    assert url.startswith("sagemaker.amazonaws.com/?")
    return parse_qs(urlsplit(f"https://{url}").query)


def test_a_token_is_a_presigned_call_in_disguise() -> None:
    parts = query(BearerTokens("us-east-1", session())())
    assert parts["Action"] == ["CallWithBearerToken"]
    assert parts["Version"] == ["1"]
    assert parts["X-Amz-Credential"] == ["AKIDEXAMPLE/20261130/us-east-1/sagemaker/aws4_request"]
    assert parts["X-Amz-Expires"] == ["900"]


@pytest.mark.parametrize("session_token", [None, "temporary/+="])
@pytest.mark.parametrize(("region", "seconds"), [("us-east-1", 1), ("ap-southeast-2", 900), ("us-gov-west-1", 43_200)])
def test_sagemaker_core_makes_the_same_bytes(session_token: str | None, region: str, seconds: int) -> None:
    theirs = pytest.importorskip("sagemaker.core.token_generator")

    class Provider:
        def load(self) -> Credentials:
            return Credentials("AKIDEXAMPLE", "secret", session_token)

    expected = theirs.generate_token(region, Provider(), dt.timedelta(seconds=seconds))
    assert BearerTokens(region, session(session_token), lifetime_seconds=seconds)() == expected


def test_every_call_uses_the_credentials_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = session()
    tokens = BearerTokens("us-east-1", changing)
    first = tokens()
    assert tokens() == first
    monkeypatch.setattr(changing, "get_credentials", lambda: Credentials("OTHER", "secret"))
    assert query(tokens())["X-Amz-Credential"][0].startswith("OTHER/")


def test_the_region_is_given_or_the_environment_s_or_the_session_s(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BearerTokens(session=session()).region == "eu-west-1"
    other = botocore.session.Session()
    other.set_config_variable("region", "eu-west-3")
    assert BearerTokens(session=other).region == "eu-west-3"
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert BearerTokens(session=session()).region == "eu-west-2"
    assert BearerTokens("us-east-1", session()).region == "us-east-1"


def test_what_is_missing_is_said() -> None:
    with pytest.raises(MissingRegionError, match=r"region=.*AWS_REGION.*profile"):
        BearerTokens(session=session(region=None))
    with pytest.raises(MissingCredentialsError, match="credentials"):
        BearerTokens("us-east-1")()


@pytest.mark.parametrize("bad", ["us-east-1.evil.example/", "US-EAST-1", "us east 1", "evil.example#-1"])
def test_a_region_cannot_name_another_host(bad: str) -> None:
    with pytest.raises(InvalidSettingsError):
        BearerTokens(bad, session())


@pytest.mark.parametrize("bad", [0, 43_201, -1, True, 1.5])
def test_a_lifetime_out_of_range_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidSettingsError, match="43,200"):
        BearerTokens("us-east-1", session(), lifetime_seconds=bad)


def test_the_secret_is_in_no_representation() -> None:
    tokens = BearerTokens("us-east-1", session())
    assert "secret" not in repr(tokens) + tokens()


class Awaited:
    """A session as those of aiobotocore are, and its credentials."""

    region_name = "eu-west-1"

    async def get_credentials(self) -> Any:
        return self

    async def get_frozen_credentials(self) -> Any:
        return Credentials("AKIDEXAMPLE", "secret").get_frozen_credentials()


class Forwarding(Awaited):
    """A session as those of aioboto3 are, whose methods only return what is to be awaited."""

    def get_credentials(self) -> Any:
        return super().get_credentials()


@pytest.mark.parametrize("kind", [Awaited, Forwarding])
def test_credentials_that_are_awaited_make_the_same_token(kind: Any) -> None:
    assert asyncio.run(AsyncBearerTokens(session=kind())()) == BearerTokens(session=session())()
    with pytest.raises(UnsupportedSessionError, match=r"async_client.*boto3"):
        BearerTokens(session=kind())()


def test_credentials_of_boto3_do_not_hold_up_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    made = session()

    def find() -> Credentials:
        threads.append(threading.get_ident())
        return Credentials("AKIDEXAMPLE", "secret")

    monkeypatch.setattr(made, "get_credentials", find)
    token = asyncio.run(AsyncBearerTokens(session=made)())
    assert token == BearerTokens(session=session())()
    assert threads[0] != threading.get_ident()


def test_an_async_caller_hears_of_missing_credentials_too(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = session()
    monkeypatch.setattr(empty, "get_credentials", lambda: None)
    with pytest.raises(MissingCredentialsError):
        asyncio.run(AsyncBearerTokens(session=empty)())


@pytest.mark.parametrize("kind", [BearerTokens, AsyncBearerTokens])
@pytest.mark.parametrize("bad", [{}, "default", 5])
def test_what_is_no_session_is_refused(kind: Any, bad: Any) -> None:
    with pytest.raises(UnsupportedSessionError, match=r"session: a \w+ gives no credentials"):
        kind("us-east-1", bad)
