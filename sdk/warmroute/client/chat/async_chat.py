"""Chat over an aiobotocore client."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from warmroute.client.chat.call import Chat
from warmroute.client.chat.errors import interruption_of, refusal_of
from warmroute.client.chat.reading import StreamReader, read_reply, text_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Mapping

    from warmroute.client.chat.reply import ChatReply


class AsyncSageMakerChat(Chat):
    """Chat with one endpoint over the user's own aiobotocore client.

    Takes an aiobotocore ``sagemaker-runtime`` client and what ``Chat`` names.
    """

    _is_async = True

    async def complete(self, request: Mapping[str, Any], *, prefix_aware_id: str | None = None) -> ChatReply:
        """Send a request and wait for the whole reply.

        Args:
            request: A chat request in OpenAI's form, with ``messages``; sent as canonical JSON, left as it is.
            prefix_aware_id: Id of this request, instead of that of the chat.

        Raises:
            ModelError: The container answered with an error status.
            UnexpectedReplyError: The answer is not a chat completion.
            CanonicalJsonError: The request is not JSON.
            BodyTooLargeError: The request has more than 6,291,456 bytes; nothing was sent.
            InvalidSettingsError: The id is malformed, or a part of the request has the wrong type.
            botocore.exceptions.ClientError: SageMaker itself refused the request.
        """
        response = await self._invoke(self._client.invoke_endpoint, self._whole(request, prefix_aware_id))
        return read_reply(await response["Body"].read(), response.get("InvokedProductionVariant", ""))

    @asynccontextmanager
    async def stream(
        self, request: Mapping[str, Any], *, prefix_aware_id: str | None = None
    ) -> AsyncIterator[AsyncChatStream]:
        """Send a request and read the reply as the model writes it; the connection closes with the block.

        Args:
            request: A chat request in OpenAI's form; ``stream`` and the wish for usage are added.
            prefix_aware_id: Id of this request, instead of that of the chat.

        Raises:
            ModelError: The container answered with an error status, before any part of the reply.
            CanonicalJsonError: The request is not JSON.
            BodyTooLargeError: The request has more than 6,291,456 bytes; nothing was sent.
            InvalidSettingsError: The id is malformed, or a part of the request has the wrong type.
            botocore.exceptions.ClientError: SageMaker itself refused the request.
        """
        call = self._streamed(request, prefix_aware_id)
        response = await self._invoke(self._client.invoke_endpoint_with_response_stream, call)
        events = response["Body"]
        try:
            yield AsyncChatStream(events, response.get("InvokedProductionVariant", ""))
        finally:
            events.close()

    async def _invoke(self, operation: Any, call: dict[str, Any]) -> Any:
        try:
            return await operation(**call)
        except ClientError as error:
            refusal = refusal_of(error, self._target["EndpointName"])
            if refusal is None:
                raise
        raise refusal  # Outside of the block above, lest the error carry the container's text.


class AsyncChatStream:
    """One reply as it arrives: iterate over its pieces of text, or over ``chunks``; once.

    Args:
        events: The event stream of the response.
        variant: Production variant that serves it.
    """

    def __init__(self, events: AsyncIterable[Mapping[str, Any]], variant: str) -> None:
        self._events = aiter(events)
        self._reader = StreamReader(variant)

    @property
    def reply(self) -> ChatReply:
        """The reply as far as it has arrived; whole, with its usage, once the iteration has ended."""
        return self._reader.reply

    async def __aiter__(self) -> AsyncIterator[str]:
        """Pieces of text, none of them empty.

        Raises:
            ModelStreamError: The reply broke off; the error holds what had arrived.
            UnexpectedReplyError: A part of the answer is not a chunk of a chat completion.
        """
        async for chunk in self.chunks():
            if text := text_of(chunk):
                yield text

    async def chunks(self) -> AsyncIterator[Mapping[str, Any]]:
        """The container's chunks as they are: other choices, tool calls, reasoning, log probabilities.

        Raises:
            ModelStreamError: The reply broke off; the error holds what had arrived.
            UnexpectedReplyError: A part of the answer is not a chunk of a chat completion.
        """
        while (part := await self._next_part()) is not None:
            for chunk in self._reader.feed(part):
                yield chunk
        self._reader.end()

    async def _next_part(self) -> bytes | None:
        try:
            event = await anext(self._events, None)
        except Exception as error:  # noqa: BLE001 - whatever the layers below raise, the reply has broken off.
            interruption = interruption_of(error, self.reply)
        else:
            return None if event is None else event.get("PayloadPart", {}).get("Bytes", b"")
        raise interruption  # Outside of the block above, lest the error carry the container's text.
