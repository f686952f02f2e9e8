"""The helpers over an aiobotocore client.

aiobotocore needs an older botocore than boto3's newest, so this file runs in an environment of its own: aiobotocore,
warmroute's other dependencies, pytest, hypothesis and starlette (for the encoder of event streams).
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from warmroute.client import sagemaker
from warmroute.client.bearer_token import AsyncBearerTokens, BearerTokens
from warmroute.client.body_size import MAX_BODY_BYTES, BodyTooLargeError
from warmroute.client.chat import AsyncSageMakerChat, ModelError, ModelStreamError, SageMakerChat, Usage
from warmroute.client.errors import UnsupportedClientError, UnsupportedSessionError
from warmroute.client.testing import FakeEndpoint
from warmroute.errors import InvalidSettingsError

session = pytest.importorskip("aiobotocore.session")

from aiobotocore.awsrequest import AioAWSResponse  # noqa: E402 - only where aiobotocore is installed.

from warmroute.local.data import event_stream  # noqa: E402

REQUEST = {"max_tokens": 5, "messages": [{"content": "a secret prompt", "role": "user"}]}
USAGE = {"prompt_tokens": 4, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}}
WHOLE = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": USAGE}
PART = b'data: {"choices":[{"index":0,"delta":{"content":"Hel'
REST = b'lo"}}]}\n\ndata: {"choices":[],"usage":' + json.dumps(USAGE).encode() + b"}\n\ndata: [DONE]\n\n"


class Raw:
    """The bytes of a response, as aiohttp gives them."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts
        self.content = self
        self.closed = False

    async def iter_chunks(self) -> AsyncIterator[tuple[bytes, bool]]:
        for part in self.parts:
            yield part, True

    async def read(self, *_: Any) -> bytes:
        parts, self.parts = self.parts, []
        return b"".join(parts)

    def close(self) -> None:
        self.closed = True


class Wire:
    """A client that gets one response for everything."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.sent: list[Any] = []
        client.meta.events.register("before-send", self.keep)
        self.answers(200, json.dumps(WHOLE).encode())

    def answers(self, status: int, *parts: bytes, **headers: str) -> None:
        self.status, self.raw = status, Raw(list(parts))
        self.headers = {"x-Amzn-Invoked-Production-Variant": "main", **headers}

    async def keep(self, request: Any, **_: Any) -> Any:
        self.sent.append(request)
        return AioAWSResponse(request.url, self.status, self.headers, self.raw)


def with_client(test: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        made = session.get_session().create_client("sagemaker-runtime", region_name="us-east-1", **keys)
        async with made as client:
            await test(client)

    asyncio.run(run())


def test_an_installed_client_sends_canonical_json_and_the_id() -> None:
    async def test(client: Any) -> None:
        wire = Wire(client)
        assert sagemaker.install(client, prefix_aware_id="team-a") is client
        await client.invoke_endpoint(EndpointName="chat", Body=REQUEST)
        await client.invoke_endpoint_with_response_stream(EndpointName="chat", Body=REQUEST)
        for request in wire.sent:
            assert request.body == b'{"messages":[{"role":"user","content":"a secret prompt"}],"max_tokens":5}'
            assert request.headers["X-Amzn-SageMaker-Prefix-Aware-Id"] in {"team-a", b"team-a"}
        with pytest.raises(BodyTooLargeError):
            await client.invoke_endpoint(EndpointName="chat", Body=b"x" * (MAX_BODY_BYTES + 1))
        with pytest.raises(InvalidSettingsError):
            await client.invoke_endpoint(EndpointName="chat", Body=REQUEST, PrefixAwareId="a\nb")
        sagemaker.uninstall(client)
        await client.invoke_endpoint(EndpointName="chat", Body=b'{ "a": 1 }')
        assert wire.sent[-1].body == b'{ "a": 1 }'
        assert "X-Amzn-SageMaker-Prefix-Aware-Id" not in wire.sent[-1].headers

    with_client(test)


def test_a_reply_comes_back_typed() -> None:
    async def test(client: Any) -> None:
        wire = Wire(client)
        reply = await AsyncSageMakerChat(client, "chat", prefix_aware_id="team-a").complete(REQUEST)
        assert (reply.text, reply.usage, reply.variant) == ("Hello", Usage(4, 1, 3), "main")
        assert wire.sent[0].headers["X-Amzn-SageMaker-Prefix-Aware-Id"] in {"team-a", b"team-a"}

    with_client(test)


def test_a_streamed_reply_arrives_as_text_and_ends_with_usage() -> None:
    async def test(client: Any) -> None:
        wire = Wire(client)
        wire.answers(200, *map(event_stream.payload_part, (PART, REST)))
        async with AsyncSageMakerChat(client, "chat").stream(REQUEST) as stream:
            assert [text async for text in stream] == ["Hello"]
        assert stream.reply.usage == Usage(4, 1, 3)
        assert json.loads(wire.sent[0].body)["stream_options"] == {"include_usage": True}
        assert wire.raw.closed

    with_client(test)


def test_a_reply_that_breaks_off_keeps_what_arrived() -> None:
    async def test(client: Any) -> None:
        wire = Wire(client)
        failure = event_stream.exception("ModelStreamError", b'{"Message":"a secret prompt"}')
        wire.answers(200, event_stream.payload_part(PART + b'"}}]}\n\n'), failure)
        async with AsyncSageMakerChat(client, "chat").stream(REQUEST) as stream:
            with pytest.raises(ModelStreamError, match=r"after 3 .*ModelStreamError") as caught:
                [text async for text in stream]
        assert caught.value.received is not None
        assert caught.value.received.text == "Hel"
        assert "secret" not in str(caught.value)
        assert wire.raw.closed

    with_client(test)


def test_a_container_s_refusal_says_its_status() -> None:
    async def test(client: Any) -> None:
        wire = Wire(client)
        body = json.dumps({"Message": "a secret prompt", "OriginalStatusCode": 400}).encode()
        wire.answers(424, body, **{"x-amzn-errortype": "ModelError", "content-type": "application/json"})
        with pytest.raises(ModelError, match="status 400"):
            await AsyncSageMakerChat(client, "chat").complete(REQUEST)

    with_client(test)


def test_the_test_double_answers_it() -> None:
    async def test(client: Any) -> None:
        endpoint = FakeEndpoint("Hello you")
        chat = AsyncSageMakerChat(endpoint.connect(client), "chat")
        assert (await chat.complete(REQUEST)).text == "Hello you"
        async with chat.stream(REQUEST) as stream:
            assert [text async for text in stream] == ["Hello", " you"]
        assert len(endpoint.requests) == 2

    with_client(test)


def test_a_body_of_the_test_double_is_read_in_every_way() -> None:
    async def test(client: Any) -> None:
        invoke = FakeEndpoint({"a": 1}).connect(client).invoke_endpoint
        call = {"EndpointName": "chat", "Body": b"{}"}
        async with (await invoke(**call))["Body"] as body:
            assert await body.read() == b'{"a":1}'
        body = (await invoke(**call))["Body"]
        assert [await body.read(4), await body.read(), await body.read()] == [b'{"a"', b":1}", b""]
        assert [part async for part in (await invoke(**call))["Body"].iter_chunks(4)] == [b'{"a"', b":1}"]
        assert [part async for part in (await invoke(**call))["Body"]] == [b'{"a":1}']
        assert [line async for line in (await invoke(**call))["Body"].iter_lines()] == [b'{"a":1}']
        (await invoke(**call))["Body"].close()

    with_client(test)


def test_an_aiobotocore_client_is_no_client_of_the_sync_chat() -> None:
    async def test(client: Any) -> None:
        with pytest.raises(UnsupportedClientError, match="Use AsyncSageMakerChat"):
            SageMakerChat(client, "chat")

    with_client(test)


def test_its_session_makes_tokens_for_those_who_await_them() -> None:
    made = session.get_session()
    made.set_credentials("AKIDEXAMPLE", "secret", "token")
    token = asyncio.run(AsyncBearerTokens("us-east-1", made)())
    assert b"AKIDEXAMPLE" in base64.b64decode(token.removeprefix("sagemaker-api-key-"))
    with pytest.raises(UnsupportedSessionError, match="aiobotocore"):
        BearerTokens("us-east-1", made)()
