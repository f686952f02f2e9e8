"""CloudWatch's PromQL endpoint over HTTP: what is asked, what comes back, and what is said where it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from loopback import Asked, answering

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry.promql_api import PromqlApi, Series


@dataclass
class CloudWatch:
    """A server that gives one answer to whatever it is asked."""

    status: int = 200
    content: bytes = b""
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        self.asked.append(asked)
        return self.status, self.content

    def succeeds(self, data: Any) -> None:
        self.content = json.dumps({"status": "success", "data": data}).encode()


@pytest.fixture
def cloudwatch() -> Iterator[CloudWatch]:
    server = CloudWatch()
    with answering(server.answer) as server.url:
        yield server


@pytest.fixture
def api(cloudwatch: CloudWatch) -> PromqlApi:
    return PromqlApi(boto3.Session("KEY", "secret", region_name="eu-west-1"), "eu-west-1", cloudwatch.url + "/")


def test_names_of_metrics_are_asked_for_with_the_session_s_signature(cloudwatch: CloudWatch, api: PromqlApi) -> None:
    cloudwatch.succeeds(["vllm:prompt_tokens", "up"])

    assert api.names() == ["vllm:prompt_tokens", "up"]

    (asked,) = cloudwatch.asked
    signature = asked.headers["Authorization"]
    assert asked.path == "/api/v1/label/__name__/values"
    assert signature.startswith("AWS4-HMAC-SHA256 Credential=KEY/")
    assert "/eu-west-1/monitoring/aws4_request" in signature


def test_a_query_over_a_span_gives_the_points_of_every_series(cloudwatch: CloudWatch, api: PromqlApi) -> None:
    found = [
        {"metric": {"host.id": "i-1"}, "values": [[1_800_000_000, "3"], [1_800_000_060.5, "+Inf"]]},
        {"metric": {}, "values": []},
    ]
    cloudwatch.succeeds({"resultType": "matrix", "result": found})

    series = api.series('{"up", "a.b"="c&d"}', 1_800_000_000, 1_800_000_061.25, 60.0)

    assert series == [
        Series({"host.id": "i-1"}, ((1_800_000_000.0, 3.0), (1_800_000_060.5, float("inf")))),
        Series({}, ()),
    ]
    path = urlsplit(cloudwatch.asked[0].path)
    assert path.path == "/api/v1/query_range"
    assert parse_qs(path.query) == {
        "query": ['{"up", "a.b"="c&d"}'],
        "start": ["1800000000.000"],
        "end": ["1800000061.250"],
        "step": ["60"],
    }


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (403, b'{"message": "You may not."}', "it answers with status 403 You may not."),
        (400, b'{"status": "error", "error": "bad query"}', "it answers with status 400 bad query."),
        (200, b'{"status": "error"}', "it answers with status 200."),
        (200, b"[]", "it answers with status 200."),
        (502, b"<html>", "it answers with status 502."),
    ],
)
def test_a_refusal_is_told_with_the_permissions_that_are_needed(
    cloudwatch: CloudWatch, api: PromqlApi, status: int, answer: bytes, message: str
) -> None:
    cloudwatch.status, cloudwatch.content = status, answer

    with pytest.raises(WarmrouteError) as error:
        api.names()

    assert str(error.value) == (
        f"Telemetry: CloudWatch's PromQL endpoint: {message} "
        "The permissions needed are cloudwatch:ListMetrics and cloudwatch:GetMetricData."
    )


def test_a_server_that_cannot_be_reached_is_named() -> None:
    api = PromqlApi(boto3.Session("KEY", "secret"), "eu-west-1", "http://127.0.0.1:9")

    with pytest.raises(WarmrouteError, match=r'Could not connect to the endpoint URL: "http://127\.0\.0\.1:9/api/v1/'):
        api.names()


def test_without_credentials_nothing_is_asked(cloudwatch: CloudWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    session = boto3.Session(region_name="eu-west-1")
    monkeypatch.setattr(session, "get_credentials", lambda: None)

    with pytest.raises(WarmrouteError, match="there are no AWS credentials"):
        PromqlApi(session, "eu-west-1", cloudwatch.url).names()

    assert cloudwatch.asked == []
