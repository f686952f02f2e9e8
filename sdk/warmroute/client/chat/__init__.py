"""Chat over ``invoke_endpoint`` and its response stream: requests in, typed replies and pieces of text out.

    chat = SageMakerChat(boto3.client("sagemaker-runtime"), "support-bot", prefix_aware_id="team-a")
    reply = chat.complete({"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 100})
    print(reply.text, reply.usage)

    with chat.stream({"messages": [{"role": "user", "content": "Hello"}]}) as stream:
        for text in stream:
            print(text, end="", flush=True)
    print(stream.reply.usage)

``AsyncSageMakerChat`` does the same over an aiobotocore client. Both send canonical JSON themselves, so the client
needs no ``sagemaker.install``.
"""

from __future__ import annotations

from warmroute.client.chat.async_chat import AsyncChatStream, AsyncSageMakerChat
from warmroute.client.chat.errors import ChatError, ModelError, ModelStreamError, UnexpectedReplyError
from warmroute.client.chat.reply import ChatReply, ToolCall, Usage
from warmroute.client.chat.sync_chat import ChatStream, SageMakerChat

__all__ = [
    "AsyncChatStream",
    "AsyncSageMakerChat",
    "ChatError",
    "ChatReply",
    "ChatStream",
    "ModelError",
    "ModelStreamError",
    "SageMakerChat",
    "ToolCall",
    "UnexpectedReplyError",
    "Usage",
]
