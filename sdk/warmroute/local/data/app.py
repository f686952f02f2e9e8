"""The data plane over HTTP."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from warmroute.local.data import event_stream
from warmroute.local.data.answer import Answer, Question, prompt_of
from warmroute.local.data.callers import bearer_caller, signed_caller
from warmroute.local.data.completion import read_chat_completion, read_completion
from warmroute.local.data.connection import ClientGoneError, while_connected, whole_body
from warmroute.local.data.failures import Refusal, internal_failure
from warmroute.local.data.operations import Operation, target_of
from warmroute.local.data.routing_keys import chat_key, invocation_key

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from starlette.types import Receive, Scope, Send

    from warmroute.local.data.fleets import Fleets
    from warmroute.local.data.operations import Target

_LOGGER = logging.getLogger(__name__)


class DataPlane:
    """The ASGI application of the data plane.

    Args:
        fleets: The instances that serve.
    """

    def __init__(self, fleets: Fleets) -> None:
        self._fleets = fleets
        self._operations = {
            Operation.INVOKE: self._invoke,
            Operation.INVOKE_WITH_STREAM: self._invoke_with_stream,
            Operation.CHAT: self._chat,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a fault of this program is answered too, and told where it runs."""
        try:
            response = await self._response(Request(scope, receive))
            await response(scope, receive, send)
        except ClientGoneError:
            pass  # Nobody is left to answer.
        except Exception:  # A stream that has begun can only end short; the server closes its connection.
            _LOGGER.exception("The data plane failed in the middle of an answer.")

    async def _response(self, request: Request) -> Response:
        try:
            target = target_of(request.method, request.scope["raw_path"].decode("latin-1"))
            return await self._operations[target.operation](request, target)
        except ClientGoneError:
            raise
        except Refusal as refusal:
            return refusal.response()
        except Exception:
            _LOGGER.exception("The data plane failed.")
            return internal_failure().response()

    async def _invoke(self, request: Request, target: Target) -> Response:
        """InvokeEndpoint: the answer in one piece, even where the container streams it."""
        question = await self._invocation(request, target)

        async def whole() -> tuple[Answer, bytes]:
            answer = Answer(question)
            return answer, b"".join([part async for part in answer.parts()])

        answer, body = await while_connected(request.receive, whole())
        return Response(body, media_type=answer.content_type, headers=answer.headers)

    async def _invoke_with_stream(self, request: Request, target: Target) -> Response:
        """InvokeEndpointWithResponseStream: the container's answer in AWS's event stream."""
        question = await self._invocation(request, target)
        answer, parts = await while_connected(request.receive, _begun(question))
        headers = {**answer.headers, "x-amzn-sagemaker-content-type": answer.content_type}
        media_type = "application/vnd.amazon.eventstream"
        return StreamingResponse(_in_event_stream(parts), media_type=media_type, headers=headers)

    async def _chat(self, request: Request, target: Target) -> Response:
        """The OpenAI-compatible API: the container's answer as it is."""
        body = await whole_body(request)
        caller = bearer_caller(request.headers)
        fleet, adapter = self._fleets.destination(*caller, target.endpoint, component=target.component)
        completion, values = read_chat_completion(body)
        prompt = await prompt_of(completion, adapter)
        question = Question(fleet, completion, prompt, chat_key(fleet.routing, values))
        answer, parts = await while_connected(request.receive, _begun(question))
        return StreamingResponse(parts, media_type=answer.content_type, headers=answer.headers)

    async def _invocation(self, request: Request, target: Target) -> Question:
        body, headers = await whole_body(request), request.headers
        fleet, adapter = self._fleets.destination(
            *signed_caller(headers),
            target.endpoint,
            variant=headers.get("x-amzn-sagemaker-target-variant", ""),
            component=headers.get("x-amzn-sagemaker-inference-component", ""),
        )
        completion = read_completion(body)
        key = invocation_key(fleet.routing, body, headers.get("x-amzn-sagemaker-prefix-aware-id", ""))
        return Question(fleet, completion, await prompt_of(completion, adapter), key)


async def _begun(question: Question) -> tuple[Answer, AsyncGenerator[bytes, None]]:
    """An answer whose first part is out: from here on, nothing but a fault can refuse it."""
    answer = Answer(question)
    parts = answer.parts()
    return answer, _after(await anext(parts), parts)


async def _after(first: bytes, parts: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """A stream whose first part is at hand; closed with its reader, so that a request given up leaves the engine."""
    try:
        yield first
        async for part in parts:
            yield part
    finally:
        await parts.aclose()


async def _in_event_stream(parts: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    try:
        async for part in parts:
            yield event_stream.payload_part(part)
    except Exception:
        _LOGGER.exception("The data plane failed in the middle of a stream.")
        yield event_stream.exception("InternalStreamFailure", orjson.dumps(internal_failure().body))
    finally:
        await parts.aclose()
