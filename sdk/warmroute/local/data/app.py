"""The data plane over HTTP."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from warmroute.local.data.answer import Question, answer_to, in_time, whole
from warmroute.local.data.callers import bearer_caller, signed_caller
from warmroute.local.data.connection import ClientGoneError, StreamedResponse, while_connected, whole_body
from warmroute.local.data.failures import Refusal, internal_failure, model_error
from warmroute.local.data.headers import passed_on
from warmroute.local.data.operations import Operation, target_of
from warmroute.local.data.routing_keys import chat_key, invocation_key
from warmroute.local.data.streams import as_it_comes, in_event_stream
from warmroute.local.engines import CHAT_COMPLETIONS, INVOCATIONS, ContainerRefusal, ContainerRequest, StreamBrokenError

if TYPE_CHECKING:
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
        except StreamBrokenError:
            pass  # The server closes a connection whose answer is not whole, which is all that can be told there.
        except Exception:  # A stream that has begun can only end short; the server closes its connection.
            _LOGGER.exception("The data plane failed in the middle of an answer.")

    async def _response(self, request: Request) -> Response:
        try:
            target = target_of(request.method, request.scope["raw_path"].decode("latin-1"))
            return await self._operations[target.operation](request, target)
        except ClientGoneError:
            raise
        except Refusal as refusal:
            return self._refused(refusal)
        except ContainerRefusal as refusal:
            return model_error(refusal.status, refusal.message).response()
        except Exception:
            _LOGGER.exception("The data plane failed.")
            return self._refused(internal_failure())

    def _refused(self, refusal: Refusal) -> Response:
        self._fleets.refused[refusal.code] += 1
        return refusal.response()

    async def _invoke(self, request: Request, target: Target) -> Response:
        """InvokeEndpoint: the answer in one piece, even where the container streams it."""
        question = await self._invocation(request, target)
        answer, body = await while_connected(request.receive, in_time(question, whole(question)))
        return Response(body, media_type=answer.content_type, headers=answer.headers)

    async def _invoke_with_stream(self, request: Request, target: Target) -> Response:
        """InvokeEndpointWithResponseStream: the container's answer in AWS's event stream."""
        question = await self._invocation(request, target)
        answer = await while_connected(request.receive, in_time(question, answer_to(question)))
        headers = {**answer.headers, "x-amzn-sagemaker-content-type": answer.content_type}
        return StreamedResponse(in_event_stream(answer), answer.close, "application/vnd.amazon.eventstream", headers)

    async def _chat(self, request: Request, target: Target) -> Response:
        """The OpenAI-compatible API: the container's answer as it is."""
        body = await whole_body(request)
        caller = bearer_caller(request.headers)
        fleet, adapter = self._fleets.destination(*caller, target.endpoint, component=target.component)
        passed = {"content-type": "application/json"}
        asked = ContainerRequest(CHAT_COMPLETIONS, body, passed, adapter)
        asked = await fleet.engines.read(asked, weighs_caches=fleet.weighs_caches)
        question = Question(fleet, asked, chat_key(fleet.routing, body))
        answer = await while_connected(request.receive, in_time(question, answer_to(question)))
        return StreamedResponse(as_it_comes(answer), answer.close, answer.content_type, answer.headers)

    async def _invocation(self, request: Request, target: Target) -> Question:
        body, headers = await whole_body(request), request.headers
        fleet, adapter = self._fleets.destination(
            *signed_caller(headers),
            target.endpoint,
            variant=headers.get("x-amzn-sagemaker-target-variant", ""),
            component=headers.get("x-amzn-sagemaker-inference-component", ""),
        )
        passed = passed_on(headers, streams=target.operation is Operation.INVOKE_WITH_STREAM)
        asked = ContainerRequest(INVOCATIONS, body, passed, adapter)
        asked = await fleet.engines.read(asked, weighs_caches=fleet.weighs_caches)
        key = invocation_key(fleet.routing, body, headers.get("x-amzn-sagemaker-prefix-aware-id", ""))
        return Question(fleet, asked, key)
