"""Where requests went lately."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from warmroute.local import record
from warmroute.local.record import PATH, RoutingRecord

SIGNED = b"AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/%s/aws4_request, SignedHeaders=host, Signature=0"


class Planes:
    """Both planes, whose answers tests choose."""

    def __init__(self) -> None:
        self.status = 200
        self.headers = {"x-amzn-invoked-production-variant": "main", "x-warmroute-instance": "a"}
        self.record = RoutingRecord(self)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    def ask(self, path: str, *, service: bytes = b"sagemaker", query: bytes = b"") -> bytes:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": query}
        scope["headers"] = [(b"authorization", SIGNED % service)]
        asyncio.run(self.record(scope, lambda: None, send))  # type: ignore[arg-type]
        return b"".join(message.get("body", b"") for message in sent)

    def told(self, after: str = "0") -> Any:
        return json.loads(self.ask(PATH, query=f"after={after}".encode()))


@pytest.fixture
def planes() -> Planes:
    return Planes()


def test_every_answer_of_the_data_plane_is_noted(planes: Planes) -> None:
    assert planes.ask("/endpoints/bot/invocations") == b"{}"
    planes.headers |= {"x-warmroute-key": "abc", "x-warmroute-overflow": "b"}
    planes.ask("/endpoints/bot/openai/v1/chat/completions")
    planes.headers, planes.status = {}, 400
    planes.ask("/endpoints/other/invocations")

    told = planes.told()
    assert told["count"] == 3
    assert [each["number"] for each in told["requests"]] == [1, 2, 3]
    first, second, third = told["requests"]
    assert (first["endpoint"], first["instance"], first["home"], first["key"]) == ("bot", "a", "a", "")
    assert (second["instance"], second["home"], second["key"], second["variant"]) == ("a", "b", "abc", "main")
    assert (third["endpoint"], third["status"], third["instance"], third["home"]) == ("other", 400, "", "")


def test_what_is_not_for_an_endpoint_is_not_noted(planes: Planes) -> None:
    planes.ask("/")
    planes.ask("/endpoints/bot/invocations", service=b"s3")
    planes.ask("/endpoints/bot/nothing")

    assert planes.told() == {"count": 0, "requests": []}


def test_only_what_came_later_and_is_still_known_is_told(planes: Planes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "KEPT", 2)
    planes = Planes()
    for _ in range(4):
        planes.ask("/endpoints/bot/invocations")

    assert [each["number"] for each in planes.told("3")["requests"]] == [4]
    assert [each["number"] for each in planes.told("1")["requests"]] == [3, 4]
    assert planes.told("x") == {"count": 4, "requests": []}
