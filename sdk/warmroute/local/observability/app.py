"""Metrics, state and live page over HTTP."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson
from starlette.responses import PlainTextResponse, Response

from warmroute.local.observability.metrics import CONTENT_TYPE, exposition
from warmroute.local.observability.page import CONTENT_SECURITY_POLICY, PAGE
from warmroute.local.observability.state import state_document
from warmroute.local.pages import METRICS_PATH, PAGE_PATH, ROOT, STATE_PATH

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from warmroute.local.data import Fleets

_LOGGER = logging.getLogger(__name__)
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}


class Observability:
    """The ASGI application of what a user can see.

    Args:
        fleets: Those of the data plane.
    """

    def __init__(self, fleets: Fleets) -> None:
        self._fleets = fleets
        self._started = datetime.now(UTC)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            response = await self._response(scope["method"], scope["path"])
        except Exception:
            _LOGGER.exception("The state of the local endpoint could not be told.")
            response = PlainTextResponse("The local endpoint failed; its own output tells why.\n", 500)
        response.headers.update(_HEADERS)
        await response(scope, receive, send)

    async def _response(self, method: str, path: str) -> Response:
        if path not in {ROOT, PAGE_PATH, STATE_PATH, METRICS_PATH}:
            shown = f"{PAGE_PATH}, {STATE_PATH}, {METRICS_PATH}"
            return PlainTextResponse(f"There is nothing here. There is: {shown}\n", 404)
        if method not in {"GET", "HEAD"}:
            return PlainTextResponse("Only GET and HEAD are answered here.\n", 405, {"allow": "GET, HEAD"})
        if path == STATE_PATH:
            document = await state_document(self._fleets, self._started)
            return Response(orjson.dumps(document), media_type="application/json")
        if path == METRICS_PATH:
            return Response(await exposition(self._fleets), headers={"content-type": CONTENT_TYPE})
        if path == ROOT:
            return Response(status_code=308, headers={"location": PAGE_PATH})
        return Response(PAGE, media_type="text/html", headers={"content-security-policy": CONTENT_SECURITY_POLICY})
