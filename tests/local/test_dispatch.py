"""Which plane a request goes to."""

from __future__ import annotations

import asyncio
from urllib.parse import unquote

import pytest

from warmroute.local.dispatch import Dispatcher

SCOPE = "Credential=local/20261130/us-east-1/{}/aws4_request"


def _plane(path: str, service: str = "", query: str = "") -> str:
    went = []

    def plane(name):
        async def app(scope, receive, send):
            went.append(name)

        return app

    headers = [(b"authorization", b"AWS4-HMAC-SHA256 " + SCOPE.format(service).encode())] if service else []
    scope = {
        "type": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers,
    }
    asyncio.run(Dispatcher(plane("control"), plane("data"), plane("pages"))(scope, None, None))
    return went[0]


@pytest.mark.parametrize("service", ["", "sagemaker", "sagemaker-runtime", "dynamodb", "s3tables"])
@pytest.mark.parametrize(
    "path",
    [
        "/endpoints/bot/invocations",
        "/endpoints/bot/async-invocations",
        "/endpoints/a%2Fb/x",
        "/endpoints/",
        "/endpoints%2Fbot/invocations",
        "/%65ndpoints/bot/async-invocations",
    ],
)
def test_the_data_plane_gets_all_that_is_below_endpoints(path: str, service: str) -> None:
    assert _plane(path, service) == "data"


def test_a_bucket_called_endpoints_is_left_to_s3() -> None:
    assert _plane("/endpoints/bot/invocations", "s3") == "control"
    presigned = SCOPE.format("s3").replace("/", "%2F")
    assert _plane("/endpoints/key", query=f"X-Amz-{presigned}&X-Amz-Date=x") == "control"


@pytest.mark.parametrize("path", ["/_warmroute", "/_warmroute/", "/_warmroute/state", "/_warmroute/nothing"])
def test_what_a_user_sees_has_a_place_of_its_own(path: str) -> None:
    assert _plane(path) == "pages"
    assert _plane(path, "sagemaker") == "pages"
    assert _plane(path, "s3") == "control"


@pytest.mark.parametrize(
    "path", ["/", "/_warmroutes", "/endpoints", "/endpointsx/invocations", "/moto-api/reset", "/x/endpoints/y"]
)
def test_everything_else_is_for_the_control_plane(path: str) -> None:
    assert _plane(path, "sagemaker") == "control"
