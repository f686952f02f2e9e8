"""Chat over a boto3 client."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from warmroute.client.chat.call import Chat
from warmroute.client.chat.errors import interruption_of, refusal_of
from warmroute.client.chat.reading import StreamReader, read_reply, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from warmroute.client.chat.reply import ChatReply


class SageMakerChat(Chat):
    """Chat with one endpoint over the user's own boto3 client.

    Takes a boto3 ``sagemaker-runtime`` client and what ``Chat`` names.
    """

    _is_async = False

    def complete(self, request: Mapping[str, Any], *, prefix_aware_id: str | None = None) -> ChatReply:
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
        response = self._invoke(self._client.invoke_endpoint, self._whole(request, prefix_aware_id))
        return read_reply(response["Body"].read(), response.get("InvokedProductionVariant", ""))

    @contextmanager
    def stream(self, request: Mapping[str, Any], *, prefix_aware_id: str | None = None) -> Iterator[ChatStream]:
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
        response = self._invoke(self._client.invoke_endpoint_with_response_stream, call)
        events = response["Body"]
        try:
            yield ChatStream(events, response.get("InvokedProductionVariant", ""))
        finally:
            events.close()

    def _invoke(self, operation: Any, call: dict[str, Any]) -> Any:
        try:
            return operation(**call)
        except ClientError as error:
            refusal = refusal_of(error, self._target["EndpointName"])
            if refusal is None:
                raise
        raise refusal  # Outside of the block above, lest the error carry the container's text.


class ChatStream:
    """One reply as it arrives: iterate over its pieces of text, or over ``chunks``; once.

    Args:
        events: The event stream of the response.
        variant: Production variant that serves it.
    """

    def __init__(self, events: Iterable[Mapping[str, Any]], variant: str) -> None:
        self._events = iter(events)
        self._reader = StreamReader(variant)

    @property
    def reply(self) -> ChatReply:
        """The reply as far as it has arrived; whole, with its usage, once the iteration has ended."""
        return self._reader.reply

    def __iter__(self) -> Iterator[str]:
        """Pieces of text, none of them empty.

        Raises:
            ModelStreamError: The reply broke off; the error holds what had arrived.
            UnexpectedReplyError: A part of the answer is not a chunk of a chat completion.
        """
        return filter(None, map(text_of, self.chunks()))

    def chunks(self) -> Iterator[Mapping[str, Any]]:
        """The container's chunks as they are: other choices, tool calls, reasoning, log probabilities.

        Raises:
            ModelStreamError: The reply broke off; the error holds what had arrived.
            UnexpectedReplyError: A part of the answer is not a chunk of a chat completion.
        """
        while (part := self._next_part()) is not None:
            yield from self._reader.feed(part)
        self._reader.end()

    def _next_part(self) -> bytes | None:
        try:
            event = next(self._events, None)
        except Exception as error:  # noqa: BLE001 - whatever the layers below raise, the reply has broken off.
            interruption = interruption_of(error, self.reply)
        else:
            return None if event is None else event.get("PayloadPart", {}).get("Bytes", b"")
        raise interruption  # Outside of the block above, lest the error carry the container's text.
