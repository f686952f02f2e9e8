"""Where requests go, and how they are addressed."""

from __future__ import annotations

import asyncio

import pytest
from boto3.session import Session

from warmroute.client.errors import MissingCredentialsError
from warmroute.errors import InvalidSettingsError, WarmrouteError
from warmroute.measure.replay import NativeTarget, OpenAITarget, SageMakerOpenAITarget
from warmroute.measure.replay.http.pool import server_of


def session():
    return Session("key", "secret", region_name="eu-west-1")


def head(target, body=b"{}", prefix_aware_id=""):
    asyncio.run(target.refresh())
    first, *lines = target.head(body, prefix_aware_id).decode().removesuffix("\r\n\r\n").split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines)


def test_native_requests_are_signed_for_the_runtime():
    target = NativeTarget(session(), "support-bot", target_variant="main", inference_component="llama")
    first, headers = head(target, b'{"a":1}', "team-a")

    assert first == "POST /endpoints/support-bot/invocations-response-stream HTTP/1.1"
    assert headers["Host"] == target.server.host == "runtime.sagemaker.eu-west-1.amazonaws.com"
    assert headers["X-Amzn-SageMaker-Target-Variant"] == "main"
    assert headers["X-Amzn-SageMaker-Inference-Component"] == "llama"
    assert headers["X-Amzn-SageMaker-Prefix-Aware-Id"] == "team-a"
    assert headers["Content-Length"] == "7"
    assert "/eu-west-1/sagemaker/aws4_request" in headers["Authorization"]


def test_the_signature_is_that_of_a_boto3_client(monkeypatch):
    """boto3 signs more headers of its own; of equal headers, the signature must be equal."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    sent = []
    client = session().client("sagemaker-runtime")

    def capture(request, **_):
        sent.append(request)
        raise KeyboardInterrupt

    client.meta.events.register("before-send.sagemaker-runtime.InvokeEndpointWithResponseStream", capture)
    with pytest.raises(KeyboardInterrupt):
        client.invoke_endpoint_with_response_stream(
            EndpointName="support-bot", Body=b"{}", ContentType="application/json", TargetVariant="main"
        )
    (theirs,) = sent
    first, headers = head(NativeTarget(session(), "support-bot", target_variant="main"))
    signed = headers["Authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")

    assert theirs.url == f"https://{headers['Host']}{first.split(' ')[1]}"
    assert {"content-type", "host", "x-amz-date", "x-amzn-sagemaker-target-variant"} == set(signed)
    for name in ("Content-Type", "X-Amzn-SageMaker-Target-Variant"):
        given = theirs.headers[name]
        assert (given.decode() if isinstance(given, bytes) else given) == headers[name]
    again = AWSRequest("POST", theirs.url, {name: headers[name] for name in headers if name.lower() in signed}, b"{}")
    again.context["timestamp"] = headers["X-Amz-Date"]
    auth = SigV4Auth(session().get_credentials(), "sagemaker", "eu-west-1")
    assert headers["Authorization"].endswith(
        auth.signature(auth.string_to_sign(again, auth.canonical_request(again)), again)
    )


def test_an_id_that_no_header_may_hold_is_left_out():
    _, headers = head(NativeTarget(session(), "support-bot"), prefix_aware_id="a\r\nb")
    assert "X-Amzn-SageMaker-Prefix-Aware-Id" not in headers


def test_the_openai_path_of_a_component_with_a_bearer_token():
    target = SageMakerOpenAITarget(session(), "bot", inference_component="llama", endpoint_url="http://localhost:8333/")
    first, headers = head(target)
    assert first == "POST /endpoints/bot/inference-components/llama/openai/v1/chat/completions HTTP/1.1"
    assert headers["Host"] == "localhost:8333"
    assert headers["Authorization"].startswith("Bearer sagemaker-api-key-")


def test_any_server():
    first, headers = head(OpenAITarget("https://example.com/v1/", "secret"))
    assert first == "POST /v1/chat/completions HTTP/1.1"
    assert (headers["Host"], headers["Authorization"]) == ("example.com", "Bearer secret")
    assert "Authorization" not in head(OpenAITarget("http://[::1]:80/v1"))[1]


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host", "http://", "http://h:99999/", "http://u:p@host/"])
def test_no_url_of_a_server(url):
    with pytest.raises(WarmrouteError, match="not the URL of a server"):
        server_of(url)


def test_names_and_settings_that_cannot_work():
    with pytest.raises(InvalidSettingsError, match="endpoint_name"):
        NativeTarget(session(), "a/b")
    with pytest.raises(WarmrouteError, match="no client of SageMaker's runtime"):
        NativeTarget(session(), "bot", endpoint_url="localhost")


def test_without_credentials(monkeypatch):
    found = session()
    monkeypatch.setattr(found, "get_credentials", lambda: None)
    with pytest.raises(MissingCredentialsError, match="no AWS credentials"):
        asyncio.run(NativeTarget(found, "bot").refresh())
