"""What can go wrong with a chat, said without the text of the request or of the reply.

A container's own message may quote the prompt. It is kept in attributes, never in the message or in ``__cause__``, so
that a logged traceback shows none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError, EventStreamError

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from warmroute.client.chat.reply import ChatReply


class ChatError(WarmrouteError):
    """A chat request without a complete reply.

    Args:
        message: What happened, without text of the request or the reply.
        remedy: What to do.
        received: The reply as far as it arrived.
        cause: The exception of the client below, if one was raised; its text may quote the prompt.
    """

    def __init__(
        self, message: str, remedy: str = "", *, received: ChatReply | None = None, cause: Exception | None = None
    ) -> None:
        super().__init__(message, remedy)
        self.received = received
        self.cause = cause


class ModelError(ChatError):
    """The container answered with an error status, before any part of a reply."""

    status: int = 0
    """HTTP status of the container's answer (``OriginalStatusCode``)."""

    original_message: str = ""
    """The container's answer; it may quote the prompt."""

    log_stream_arn: str = ""
    """Where the container's log is."""


class ModelStreamError(ChatError):
    """The reply broke off; ``received`` holds what had arrived."""

    code: str = ""
    """``ModelStreamError`` or ``InternalStreamFailure`` of SageMaker, an engine's error type, or the exception's name;
    empty if the stream just ended."""


class UnexpectedReplyError(ChatError):
    """The container's answer is not a chat completion in OpenAI's form."""

    answer: bytes = b""
    """The answer, or the part of it that could not be read."""


def refusal_of(error: ClientError, endpoint: str) -> ModelError | None:
    """A container's refusal, or None where SageMaker itself refused: its messages are clear and quote no prompt."""
    if error.response.get("Error", {}).get("Code") != "ModelError":
        return None
    details: dict[str, Any] = dict(error.response)
    status = int(details.get("OriginalStatusCode") or 0)
    log_stream = str(details.get("LogStreamArn") or "")
    if 400 <= status < 500:
        remedy = "`original_message` of this error says why; it may quote the prompt."
    else:
        remedy = f"The container's log says why: {log_stream or 'CloudWatch, /aws/sagemaker/Endpoints/' + endpoint}."
    refusal = ModelError(f"{endpoint}: the container answered with status {status}.", remedy, cause=error)
    refusal.status = status
    refusal.original_message = str(details.get("OriginalMessage") or "")
    refusal.log_stream_arn = log_stream
    return refusal


def interruption_of(error: Exception, received: ChatReply) -> ModelStreamError:
    """A stream that failed on its way, whichever layer noticed."""
    code = type(error).__name__
    if isinstance(error, EventStreamError):
        code = error.response.get("Error", {}).get("Code") or code
    return interrupted(code, received, error)


def interrupted(code: str, received: ChatReply, cause: Exception | None = None) -> ModelStreamError:
    """A stream that ended before its reply did."""
    reason = f": {code}" if code else ""
    error = ModelStreamError(
        f"The reply broke off after {len(received.text)} characters{reason}.",
        "`received` of this error holds them. Retry, or look into the container's log.",
        received=received,
        cause=cause,
    )
    error.code = code
    return error


def unreadable(part: bytes, received: ChatReply | None = None) -> UnexpectedReplyError:
    """An answer that is not a chat completion."""
    error = UnexpectedReplyError(
        "The container's answer is not a chat completion.",
        "Serve a container with OpenAI's chat completions, as vLLM's is; `answer` of this error holds what came.",
        received=received,
    )
    error.answer = part
    return error
