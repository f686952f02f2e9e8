"""The operations of the data plane over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from warmroute.errors import InvalidSettingsError
from warmroute.local.control import endpoint_in_force
from warmroute.local.data import event_stream
from warmroute.local.data.answer import Answer
from warmroute.local.data.callers import bearer_caller, signed_caller
from warmroute.local.data.completion import read_chat_completion, read_completion
from warmroute.local.data.failures import Refusal, invalid
from warmroute.local.data.fleets import Fleets
from warmroute.prefix import routing_key

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from starlette.requests import Request

    from warmroute.local.data.callers import Caller
    from warmroute.local.data.fleets import VariantFleet

MAX_BODY_BYTES = 6_291_456
"""Largest body of an invocation. Source: sagemaker-runtime ``BodyBlob``."""


def data_plane(*, speed: float = 1.0) -> Starlette:
    """The ASGI application of the data plane.

    Args:
        speed: How many times faster than real engines the simulated ones run.
    """
    operations = _Operations(Fleets(speed))
    endpoint, component = "/endpoints/{name}", "/inference-components/{component}"
    return Starlette(
        routes=[
            Route(f"{endpoint}/invocations", operations.invoke, methods=["POST"]),
            Route(f"{endpoint}/invocations-response-stream", operations.invoke_with_stream, methods=["POST"]),
            Route(f"{endpoint}/openai/v1/chat/completions", operations.chat, methods=["POST"]),
            Route(f"{endpoint}{component}/openai/v1/chat/completions", operations.chat, methods=["POST"]),
        ]
    )


class _Operations:
    """What the data plane is asked for; the operations differ in credentials, routing key and encoding."""

    def __init__(self, fleets: Fleets) -> None:
        self._fleets = fleets

    async def invoke(self, request: Request) -> Response:
        """InvokeEndpoint: the answer in one piece, even where the container streams it."""
        try:
            answer = await self._invocation(request)
            body = b"".join([part async for part in answer.parts()])
        except Refusal as refusal:
            return refusal.response()
        return Response(body, media_type=answer.content_type, headers=answer.headers)

    async def invoke_with_stream(self, request: Request) -> Response:
        """InvokeEndpointWithResponseStream: the container's answer in AWS's event stream."""
        try:
            answer = await self._invocation(request)
            parts = answer.parts()
            first = await anext(parts)
        except Refusal as refusal:
            return refusal.response()
        headers = {**answer.headers, "x-amzn-sagemaker-content-type": answer.content_type}
        media_type = "application/vnd.amazon.eventstream"
        return StreamingResponse(_in_event_stream(first, parts), media_type=media_type, headers=headers)

    async def chat(self, request: Request) -> Response:
        """The OpenAI-compatible API: the container's answer as it is."""
        try:
            body = await _body(request)
            caller = bearer_caller(request.headers)
            fleet = self._fleet(caller, request, component=request.path_params.get("component", ""))
            completion, values = read_chat_completion(body)
            answer = Answer(fleet, completion, _chat_key(fleet, values))
            parts = answer.parts()
            first = await anext(parts)
        except Refusal as refusal:
            return refusal.response()
        return StreamingResponse(_after(first, parts), media_type=answer.content_type, headers=answer.headers)

    async def _invocation(self, request: Request) -> Answer:
        body, headers = await _body(request), request.headers
        fleet = self._fleet(
            signed_caller(headers),
            request,
            variant=headers.get("x-amzn-sagemaker-target-variant", ""),
            component=headers.get("x-amzn-sagemaker-inference-component", ""),
        )
        prefix_aware_id = headers.get("x-amzn-sagemaker-prefix-aware-id", "")
        return Answer(fleet, read_completion(body), _invocation_key(fleet, body, prefix_aware_id))

    def _fleet(self, caller: Caller, request: Request, *, variant: str = "", component: str = "") -> VariantFleet:
        name = request.path_params["name"]
        state = endpoint_in_force(caller.account, caller.region, name)
        if state is None:
            raise invalid(f"Endpoint {name} of account {caller.account} not found.")
        if not state.variants:
            raise invalid(f"Endpoint {name} is {state.status} and does not serve yet.")
        return self._fleets.fleet(caller.account, caller.region, state, variant=variant, component=component)


def _invocation_key(fleet: VariantFleet, body: bytes, prefix_aware_id: str) -> bytes:
    settings = fleet.routing.prefix_aware_routing_config if fleet.routing else None
    if settings is None:
        return b""
    length = settings.prefix_length
    try:
        return routing_key(body, api="invoke", prefix_length=length, prefix_aware_id=prefix_aware_id).digest
    except InvalidSettingsError as error:
        raise invalid(f"PrefixAwareId: {error.findings[0].message}") from None


def _chat_key(fleet: VariantFleet, values: dict[str, object]) -> bytes:
    settings = fleet.routing.prefix_aware_routing_config if fleet.routing else None
    if settings is None:
        return b""
    cache_key = values.get("prompt_cache_key")
    if cache_key is not None and not isinstance(cache_key, str):
        raise invalid("prompt_cache_key: the key is not text.")
    length = settings.prefix_length
    try:
        return routing_key(values, api="openai", prefix_length=length, prefix_aware_id=cache_key or "").digest
    except InvalidSettingsError as error:
        raise invalid(f"prompt_cache_key: {error.findings[0].message}") from None


async def _in_event_stream(first: bytes, parts: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    try:
        async for part in _after(first, parts):
            yield event_stream.payload_part(part)
    except Refusal as refusal:
        yield event_stream.exception("ModelStreamError", orjson.dumps(refusal.body))


async def _after(first: bytes, parts: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    """A stream whose first part is at hand; closed with its reader, so that a request given up leaves the engine."""
    try:
        yield first
        async for part in parts:
            yield part
    finally:
        await parts.aclose()


async def _body(request: Request) -> bytes:
    size, parts = 0, []
    try:
        async for part in request.stream():
            size += len(part)
            if size > MAX_BODY_BYTES:
                raise invalid(f"The body has more than {MAX_BODY_BYTES} bytes.")
            parts.append(part)
    except ClientDisconnect:
        raise invalid("The client went away.") from None
    return b"".join(parts)
