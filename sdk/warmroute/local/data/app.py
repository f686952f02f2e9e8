"""InvokeEndpoint and InvokeEndpointWithResponseStream over HTTP."""

from __future__ import annotations

import contextlib
import re
import uuid
from typing import TYPE_CHECKING

import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from warmroute.errors import InvalidSettingsError
from warmroute.fleet import EngineRequest, RoutingRequest, prompt_blocks
from warmroute.local.control import endpoint_in_force
from warmroute.local.data import event_stream
from warmroute.local.data.completion import Usage, Wording, read_completion
from warmroute.local.data.failures import Refusal, invalid
from warmroute.local.data.fleets import Fleets, VariantFleet
from warmroute.prefix import routing_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from warmroute.local.data.instance import Instance

MAX_BODY_BYTES = 6_291_456
"""Largest body of an invocation. Source: sagemaker-runtime ``BodyBlob``."""

INSTANCE_HEADER = "x-warmroute-instance"
"""Names the instance that served a request; SageMaker itself tells no client."""

_CREDENTIAL = re.compile(r"Credential=([^/]+)/\d{8}/([a-z0-9-]+)/sagemaker/")


def data_plane(*, speed: float = 1.0) -> Starlette:
    """The ASGI application of the data plane.

    Args:
        speed: How many times faster than real engines the simulated ones run.
    """
    invocations = _Invocations(Fleets(speed))
    return Starlette(
        routes=[
            Route("/endpoints/{name}/invocations", invocations.whole, methods=["POST"]),
            Route("/endpoints/{name}/invocations-response-stream", invocations.streamed, methods=["POST"]),
        ]
    )


class _Invocations:
    """The two operations, which differ in how the answer travels."""

    def __init__(self, fleets: Fleets) -> None:
        self._fleets = fleets

    async def whole(self, request: Request) -> Response:
        """InvokeEndpoint: the answer in one piece, even where the container streams it."""
        try:
            answer = await self._answer(request)
            body = b"".join([part async for part in answer.parts()])
        except Refusal as refusal:
            return refusal.response()
        return Response(body, media_type=answer.content_type, headers=answer.headers)

    async def streamed(self, request: Request) -> Response:
        """InvokeEndpointWithResponseStream: the container's answer in AWS's event stream."""
        try:
            answer = await self._answer(request)
            parts = answer.parts()
            first = await anext(parts)
        except Refusal as refusal:
            return refusal.response()
        headers = {**answer.headers, "x-amzn-sagemaker-content-type": answer.content_type}
        media_type = "application/vnd.amazon.eventstream"
        return StreamingResponse(_encoded(first, parts), media_type=media_type, headers=headers)

    async def _answer(self, request: Request) -> _Answer:
        body = await _body(request)
        account, region = _caller(request)
        name = request.path_params["name"]
        state = endpoint_in_force(account, region, name)
        if state is None:
            raise invalid(f"Endpoint {name} of account {account} not found.")
        if not state.variants:
            raise invalid(f"Endpoint {name} is {state.status} and does not serve yet.")
        headers = request.headers
        fleet = self._fleets.fleet(
            account,
            region,
            state,
            variant=headers.get("x-amzn-sagemaker-target-variant", ""),
            component=headers.get("x-amzn-sagemaker-inference-component", ""),
        )
        return _Answer(fleet, body, headers.get("x-amzn-sagemaker-prefix-aware-id", ""))


class _Answer:
    """One request on the instance that routing chose for it."""

    def __init__(self, fleet: VariantFleet, body: bytes, prefix_aware_id: str) -> None:
        self._completion = read_completion(body)
        self._id = uuid.uuid4().hex
        self._instance = self._route(fleet, body, prefix_aware_id)
        salt = self._completion.cache_salt if self._instance.caches_prefixes else self._id
        self._prompt = prompt_blocks(self._completion.text, salt=salt)
        self.content_type = "text/event-stream" if self._completion.stream else "application/json"
        self.headers = {
            "x-amzn-invoked-production-variant": fleet.variant.name,
            INSTANCE_HEADER: self._instance.id,
        }

    def _route(self, fleet: VariantFleet, body: bytes, prefix_aware_id: str) -> Instance:
        settings = fleet.routing.prefix_aware_routing_config if fleet.routing else None
        key = b""
        try:
            if settings:
                length = settings.prefix_length
                key = routing_key(body, api="invoke", prefix_length=length, prefix_aware_id=prefix_aware_id).digest
        except InvalidSettingsError as error:
            raise invalid(f"PrefixAwareId: {error.findings[0].message}") from None
        prompt = prompt_blocks(self._completion.text, salt=self._completion.cache_salt)
        by_id = {instance.id: instance for instance in fleet.instances}
        routed = RoutingRequest(key, lambda target: by_id[target].cached_tokens(prompt))
        return fleet.strategy.choose(routed, fleet.instances).target

    async def parts(self) -> AsyncIterator[bytes]:
        """The container's answer, part by part: one event a token where it streams, else one piece."""
        wording = Wording(self._completion, f"chatcmpl-{self._id}")
        request = EngineRequest(self._id, self._prompt, self._completion.output_tokens)
        sent = cached = 0
        self._instance.in_flight += 1
        try:
            async with contextlib.aclosing(self._instance.generate(request)) as tokens:
                async for count, cached in tokens:  # noqa: B007 - the last one is reported.
                    if self._completion.stream:
                        yield wording.chunk(sent, count, last=sent + count == request.output_tokens)
                    sent += count
            usage = self._usage(sent, cached)
            yield wording.end(usage) if self._completion.stream else wording.whole(usage)
        finally:
            self._instance.in_flight -= 1

    def _usage(self, sent: int, cached: int) -> Usage:
        return Usage(self._prompt.tokens, sent, cached if self._instance.reports_cached_tokens else None)


async def _encoded(first: bytes, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield event_stream.payload_part(first)
    try:
        async for part in parts:
            yield event_stream.payload_part(part)
    except Refusal as refusal:
        yield event_stream.exception("ModelStreamError", orjson.dumps(refusal.body))


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


def _caller(request: Request) -> tuple[str, str]:
    """Account and region of a request, as its signature claims them."""
    from moto.iam.models import get_account_id_from

    found = _CREDENTIAL.search(request.headers.get("authorization", ""))
    if found is None:
        raise Refusal("MissingAuthenticationTokenException", 403, "The request is not signed for sagemaker.")
    return get_account_id_from(found[1]), found[2]
