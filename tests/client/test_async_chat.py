"""Chat over an asynchronous client, here one of our own; ``test_aiobotocore`` does it over the real one."""

import asyncio
import json
import traceback
from collections.abc import AsyncIterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from warmroute.client.chat import AsyncSageMakerChat, ModelError, ModelStreamError, Usage

REQUEST: dict[str, Any] = {"max_tokens": 5, "messages": [{"content": "a secret prompt", "role": "user"}]}
USAGE = {"prompt_tokens": 4, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}}
WHOLE = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": USAGE}
PART = b'data: {"choices":[{"index":0,"delta":{"content":"Hel'
REST = b'lo"}}]}\n\ndata: {"choices":[],"usage":' + json.dumps(USAGE).encode() + b"}\n\ndata: [DONE]\n\n"


class Runtime:
    """An asynchronous client that gets one response for everything."""

    def __init__(self, *parts: bytes | BaseException) -> None:
        self.parts = parts
        self.calls: list[dict[str, Any]] = []
        self.closed = False

    async def invoke_endpoint(self, **call: Any) -> dict[str, Any]:
        self.calls.append(call)
        (part,) = self.parts
        if isinstance(part, BaseException):
            raise part
        return {"Body": self, "InvokedProductionVariant": "main"}

    async def invoke_endpoint_with_response_stream(self, **call: Any) -> dict[str, Any]:
        self.calls.append(call)
        return {"Body": self, "InvokedProductionVariant": "main"}

    async def read(self) -> Any:
        return self.parts[0]

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        for part in self.parts:
            if isinstance(part, BaseException):
                raise part
            yield {"PayloadPart": {"Bytes": part}}

    def close(self) -> None:
        self.closed = True


async def texts_of(runtime: Runtime) -> tuple[list[str], Any]:
    async with AsyncSageMakerChat(runtime, "chat").stream(REQUEST) as stream:
        return [text async for text in stream], stream.reply


def test_a_request_goes_out_canonical_and_comes_back_typed() -> None:
    runtime = Runtime(json.dumps(WHOLE).encode())
    chat = AsyncSageMakerChat(runtime, "chat", inference_component="llama", prefix_aware_id="team-a")
    reply = asyncio.run(chat.complete(REQUEST))
    assert (reply.text, reply.usage, reply.variant) == ("Hello", Usage(4, 1, 3), "main")
    assert runtime.calls == [
        {
            "EndpointName": "chat",
            "InferenceComponentName": "llama",
            "PrefixAwareId": "team-a",
            "ContentType": "application/json",
            "Body": b'{"messages":[{"role":"user","content":"a secret prompt"}],"max_tokens":5}',
        }
    ]


def test_a_streamed_reply_arrives_as_text_and_ends_with_usage() -> None:
    runtime = Runtime(PART, REST)
    texts, reply = asyncio.run(texts_of(runtime))
    assert (texts, reply.text, reply.usage) == (["Hello"], "Hello", Usage(4, 1, 3))
    assert runtime.closed


def test_a_reply_that_breaks_off_keeps_what_arrived() -> None:
    runtime = Runtime(PART + b'"}}]}\n\n', ConnectionResetError("a secret prompt"))
    with pytest.raises(ModelStreamError, match=r"after 3 .*ConnectionResetError") as caught:
        asyncio.run(texts_of(runtime))
    assert caught.value.received is not None
    assert caught.value.received.text == "Hel"
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert runtime.closed


def test_a_cancelled_stream_is_cancelled_and_closed() -> None:
    runtime = Runtime(PART, asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(texts_of(runtime))
    assert runtime.closed


def test_a_container_s_refusal_says_its_status_and_others_are_botocore_s() -> None:
    refusal: Any = {"Error": {"Code": "ModelError", "Message": "a secret prompt"}, "OriginalStatusCode": 400}
    with pytest.raises(ModelError, match="status 400") as caught:
        asyncio.run(AsyncSageMakerChat(Runtime(ClientError(refusal, "InvokeEndpoint")), "chat").complete(REQUEST))
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    other: Any = {"Error": {"Code": "ThrottlingException"}}
    with pytest.raises(ClientError, match="Throttling"):
        asyncio.run(AsyncSageMakerChat(Runtime(ClientError(other, "InvokeEndpoint")), "chat").complete(REQUEST))
