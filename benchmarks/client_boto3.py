"""What ``sagemaker.install`` costs a boto3 client, without a network."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from benchmarks.client_requests import chat
from benchmarks.report import line
from benchmarks.timing import seconds_each
from warmroute.client import sagemaker


def run() -> None:
    """An installed client that is given a dict, against a plain one that is given its JSON."""
    installed, plain = sagemaker.install(_client(), prefix_aware_id="team-a"), _client()
    for messages, kilobytes in ((61, 32), (8, 256)):
        request = chat(messages, kilobytes)
        ours, theirs = seconds_each(
            lambda: installed.invoke_endpoint(EndpointName="chat", Body=request),  # noqa: B023
            lambda: plain.invoke_endpoint(
                EndpointName="chat", ContentType="application/json", PrefixAwareId="team-a", Body=json.dumps(request)  # noqa: B023
            ),
        )  # fmt: skip
        line(f"installed boto3 / plain, {kilobytes} KB", ours, theirs, 1.1)


class _Body:
    def stream(self) -> Iterator[bytes]:
        yield b"{}"

    def read(self, *_: Any) -> bytes:
        return b"{}"


def _client() -> Any:
    keys = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
    client = boto3.client("sagemaker-runtime", region_name="us-east-1", **keys)
    client.meta.events.register("before-send", _answer)
    return client


def _answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    return AWSResponse(request.url, 200, {"Content-Type": "application/json"}, _Body())
