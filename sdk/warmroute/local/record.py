"""Where requests went lately: for tests, which see only what the code under test makes of an answer."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import orjson

from warmroute.local.data.answer import INSTANCE_HEADER, KEY_HEADER, OVERFLOW_HEADER
from warmroute.local.data.failures import Refusal
from warmroute.local.data.operations import target_of
from warmroute.local.dispatch import is_for_data_plane

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/_warmroute/requests"
"""Where the record is read; no bucket has such a name."""

KEPT = 10_000
"""Requests that are remembered: two megabytes."""


class RoutingRecord:
    """Both planes, with a record of what the data plane answered.

    Args:
        app: Both planes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._count = 0
        self._requests: deque[dict[str, Any]] = deque(maxlen=KEPT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and note where it went before its answer begins."""
        if scope["type"] == "http" and scope["path"] == PATH:
            await self._tell(scope, send)
            return
        if not is_for_data_plane(scope):
            await self._app(scope, receive, send)
            return

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message)
            await send(message)

        await self._app(scope, receive, send_and_note)

    def _note(self, scope: Scope, start: Message) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
        try:
            endpoint = target_of(scope["method"], scope["raw_path"].decode("latin-1")).endpoint
        except Refusal:
            return  # Nothing that an endpoint could serve.
        self._count += 1
        self._requests.append(
            {
                "number": self._count,
                "endpoint": endpoint,
                "path": scope["path"],
                "status": start["status"],
                "variant": headers.get("x-amzn-invoked-production-variant", ""),
                "instance": headers.get(INSTANCE_HEADER, ""),
                "key": headers.get(KEY_HEADER, ""),
                "home": headers.get(OVERFLOW_HEADER, headers.get(INSTANCE_HEADER, "")),
            }
        )

    async def _tell(self, scope: Scope, send: Send) -> None:
        after = parse_qs(scope["query_string"].decode("latin-1")).get("after", ["0"])[0]
        wanted = [each for each in self._requests if each["number"] > int(after)] if after.isdecimal() else []
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": orjson.dumps({"count": self._count, "requests": wanted})})
