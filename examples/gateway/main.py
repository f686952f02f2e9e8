"""A gateway of many tenants to one endpoint: an OpenAI-compatible service that keeps them apart."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from openai import APIConnectionError, APIStatusError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from warmroute import PrefixAwareId
from warmroute.client.openai import async_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from openai import AsyncOpenAI
    from starlette.types import Receive, Scope, Send

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")
PORT = int(os.environ.get("PORT", "8080"))
TENANTS: dict[str, str] = json.loads(os.environ.get("TENANTS", '{"key-of-acme": "acme", "key-of-initech": "initech"}'))
"""Tenants by their API keys; yours are in a database."""
MOST_IN_FLIGHT = int(os.environ.get("MOST_IN_FLIGHT", "8"))
"""Requests of one tenant at once. Below the endpoint's concurrency_threshold, a tenant cannot fill its own instance."""


class Gateway:
    """The route of chat completions.

    Args:
        endpoint: Client of the endpoint; makes a bearer token for each request, and writes canonical bodies.
        secret: Key of the hashes that stand for tenants, so that their names never travel.
    """

    def __init__(self, endpoint: AsyncOpenAI, secret: str) -> None:
        self._endpoint, self._secret = endpoint, secret
        self._in_flight = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # What is open is closed when the answer has been sent, and as well when the client is gone.
        async with AsyncExitStack() as opened:
            response = await self._response(Request(scope, receive), opened)
            await response(scope, receive, send)

    async def _response(self, request: Request, opened: AsyncExitStack) -> Response:
        tenant = TENANTS.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if tenant is None:
            return _refusal(401, "Give one of this gateway's keys as bearer token.")
        if self._in_flight[tenant] >= MOST_IN_FLIGHT:
            return _refusal(429, f"{MOST_IN_FLIGHT} requests are in flight already.", {"retry-after": "1"})
        opened.enter_context(self._counted(tenant))
        try:
            asked = await request.json()
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            return _refusal(400, "The body is not a JSON object.")
        try:
            create = self._endpoint.chat.completions.with_streaming_response.create
            answer = await opened.enter_async_context(create(**self._call(asked, tenant)))
        except APIStatusError as error:
            return Response(error.response.content, error.status_code, media_type="application/json")
        except APIConnectionError:
            return _refusal(502, "The endpoint does not answer.")
        return StreamingResponse(answer.iter_bytes(), media_type=answer.headers["content-type"])

    def _call(self, asked: dict[str, Any], tenant: str) -> dict[str, Any]:
        """What goes to the endpoint: what was asked, but for the two fields that tell tenants apart."""
        own = asked.pop("prompt_cache_key", "")  # A tenant may part its conversations, and stays among its own.
        return {
            "model": asked.pop("model", ""),
            "messages": asked.pop("messages", []),
            "stream": asked.pop("stream", False),
            # Where it goes: requests of one tenant that begin alike meet on one instance.
            "prompt_cache_key": PrefixAwareId.derive(f"{tenant}/{own}", key=self._secret),
            # What it shares: vLLM finds no block of another salt, though tenants share the instance and the text.
            "extra_body": {**asked, "cache_salt": PrefixAwareId.derive(f"cache_salt {tenant}", key=self._secret)},
        }

    @contextmanager
    def _counted(self, tenant: str) -> Iterator[None]:
        self._in_flight[tenant] += 1
        try:
            yield
        finally:
            self._in_flight[tenant] -= 1


def _refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message}}, status, headers)


def main() -> None:
    """Serve until Ctrl-C."""
    secret = os.environ.get("GATEWAY_SECRET") or sys.exit("GATEWAY_SECRET: not set. Give 16 random bytes or more.")
    endpoint = async_client(ENDPOINT_NAME, region=REGION)

    @asynccontextmanager
    async def closing(_: Starlette) -> AsyncIterator[None]:
        async with endpoint:
            yield

    routes = [Route("/v1/chat/completions", Gateway(endpoint, secret), methods=["POST"])]
    uvicorn.run(Starlette(routes=routes, lifespan=closing), port=PORT, access_log=False)


if __name__ == "__main__":
    main()
