"""Chat over a real boto3 client whose requests end before the network."""

import functools
import json
import logging
import pickle
import traceback
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from warmroute.client import sagemaker
from warmroute.client.body_size import MAX_BODY_BYTES, BodyTooLargeError
from warmroute.client.chat import AsyncSageMakerChat, ModelError, ModelStreamError, SageMakerChat, Usage
from warmroute.client.errors import UnsupportedClientError
from warmroute.errors import InvalidSettingsError
from warmroute.local.data import event_stream
from warmroute.prefix import CanonicalJsonError, FieldOrder, canonical_json

REQUEST = {"max_tokens": 5, "messages": [{"content": "a secret prompt", "role": "user"}]}
USAGE = {"prompt_tokens": 4, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}}
WHOLE = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": USAGE}
PART = b'data: {"choices":[{"index":0,"delta":{"content":"Hel'
REST = b'lo"}}]}\n\ndata: {"choices":[],"usage":' + json.dumps(USAGE).encode() + b"}\n\ndata: [DONE]\n\n"


class Raw:
    """The bytes of a response, as urllib3 gives them; an exception among them is raised."""

    def __init__(self, parts: list[bytes | Exception]) -> None:
        self.parts = parts
        self.closed = False

    def stream(self, *_: Any) -> Iterator[bytes]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part

    def read(self, *_: Any) -> bytes:
        return b"".join(self.stream())

    def close(self) -> None:
        self.closed = True


class Wire:
    """A client that gets one response for everything."""

    def __init__(self) -> None:
        self.sent: list[AWSPreparedRequest] = []
        self.client = boto3.client(
            "sagemaker-runtime",
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(retries={"max_attempts": 0}),
        )
        self.client.meta.events.register("before-send", self.keep)
        self.answers(200, json.dumps(WHOLE).encode())

    def answers(self, status: int, *parts: bytes | Exception, **headers: str) -> None:
        self.status, self.raw = status, Raw(list(parts))
        self.headers = {"x-Amzn-Invoked-Production-Variant": "main", **headers}

    def streams(self, *payloads: bytes) -> None:
        self.answers(200, *map(event_stream.payload_part, payloads))

    def refuses(self, code: str, status: int, **details: Any) -> None:
        body = json.dumps({"Message": "it said: a secret prompt", **details}).encode()
        self.answers(status, body, **{"x-amzn-errortype": code, "content-type": "application/json"})

    def keep(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        self.sent.append(request)
        return AWSResponse(request.url, self.status, self.headers, self.raw)

    def header(self, name: str) -> str | None:
        value = self.sent[-1].headers.get(f"X-Amzn-SageMaker-{name}")
        return value.decode() if isinstance(value, bytes) else value


@pytest.fixture
def wire() -> Wire:
    return Wire()


def chat(wire: Wire, **settings: Any) -> SageMakerChat:
    return SageMakerChat(wire.client, "support-bot", **settings)


def send(wire: Wire, request: Any, *, streamed: bool) -> None:
    if streamed:
        with chat(wire).stream(request):
            pass
    else:
        chat(wire).complete(request)


def test_a_request_goes_out_canonical_and_comes_back_typed(wire: Wire) -> None:
    reply = chat(wire).complete({**REQUEST, "stream": True})
    assert (reply.text, reply.finish_reason, reply.usage, reply.variant) == ("Hello", "stop", Usage(4, 1, 3), "main")
    assert wire.sent[0].body == b'{"messages":[{"role":"user","content":"a secret prompt"}],"max_tokens":5}'
    assert wire.sent[0].url.endswith("/endpoints/support-bot/invocations")


def test_a_streamed_reply_arrives_as_text_and_ends_with_usage(wire: Wire) -> None:
    wire.streams(PART, REST)
    with chat(wire).stream(REQUEST) as stream:
        assert list(stream) == ["Hello"]
    assert stream.reply.usage == Usage(4, 1, 3)
    sent = json.loads(wire.sent[0].body)
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})
    assert wire.raw.closed


def test_chunks_are_the_container_s_own(wire: Wire) -> None:
    wire.streams(PART + REST)
    with chat(wire).stream({**REQUEST, "stream_options": {"include_usage": False}}) as stream:
        assert [len(chunk["choices"]) for chunk in stream.chunks()] == [1, 0]
    assert json.loads(wire.sent[0].body)["stream_options"] == {"include_usage": False}


def test_requests_can_be_written_in_another_order(wire: Wire) -> None:
    encode = functools.partial(canonical_json, order=FieldOrder(tools="after_messages"))
    chat(wire, encode=encode).complete({**REQUEST, "tools": []})
    assert list(json.loads(wire.sent[0].body)) == ["messages", "tools", "max_tokens"]


def test_a_stream_that_is_left_early_is_closed(wire: Wire) -> None:
    wire.streams(PART, REST)
    with pytest.raises(RuntimeError), chat(wire).stream(REQUEST):
        raise RuntimeError
    assert wire.raw.closed


def test_requests_are_aimed_and_tagged(wire: Wire) -> None:
    aimed = chat(wire, inference_component="llama", target_variant="blue", prefix_aware_id=lambda r: r.get("user"))
    aimed.complete({**REQUEST, "user": "team-a"})
    assert (wire.header("Inference-Component"), wire.header("Target-Variant")) == ("llama", "blue")
    assert wire.header("Prefix-Aware-Id") == "team-a"
    aimed.complete(REQUEST)
    assert wire.header("Prefix-Aware-Id") is None
    aimed.complete({**REQUEST, "user": "team-a"}, prefix_aware_id="own")
    assert wire.header("Prefix-Aware-Id") == "own"


def test_an_installed_client_does_not_change_what_chat_sends(wire: Wire) -> None:
    chat(wire, prefix_aware_id="chat").complete(REQUEST)
    sagemaker.install(wire.client, prefix_aware_id="installed")
    chat(wire, prefix_aware_id="chat").complete(REQUEST)
    assert wire.sent[0].body == wire.sent[1].body
    assert wire.header("Prefix-Aware-Id") == "chat"


@pytest.mark.parametrize(
    "bad", ["a\r\nX-Evil: 1", "", "-a", "a/../b", "x" * 64, "arn:aws:sagemaker:::endpoint/a", None]
)
def test_names_cannot_write_anything_else(wire: Wire, bad: Any) -> None:
    with pytest.raises(InvalidSettingsError):
        SageMakerChat(wire.client, bad)
    if bad is not None:
        with pytest.raises(InvalidSettingsError):
            chat(wire, inference_component=bad)
        with pytest.raises(InvalidSettingsError):
            chat(wire, target_variant=bad)


@pytest.mark.parametrize("bad", ["a\r\nX-Evil: 1", "é", "x" * 65])
def test_ids_cannot_either(wire: Wire, bad: str) -> None:
    with pytest.raises(InvalidSettingsError):
        chat(wire, prefix_aware_id=bad)
    with pytest.raises(InvalidSettingsError):
        chat(wire, prefix_aware_id=lambda _: bad).complete(REQUEST)
    with pytest.raises(InvalidSettingsError):
        chat(wire).complete(REQUEST, prefix_aware_id=bad)
    assert not wire.sent


@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_that_cannot_be_sent_is_refused_before(wire: Wire, *, streamed: bool) -> None:
    with pytest.raises(CanonicalJsonError, match="temperature"):
        send(wire, {**REQUEST, "temperature": float("nan")}, streamed=streamed)
    with pytest.raises(BodyTooLargeError):
        send(wire, {"messages": [{"role": "user", "content": "x" * MAX_BODY_BYTES}]}, streamed=streamed)
    assert not wire.sent


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("status", "remedy"), [(400, "original_message"), (503, "arn:log")])
def test_a_container_s_refusal_says_its_status_and_keeps_its_words_apart(
    wire: Wire, status: int, remedy: str, *, streamed: bool
) -> None:
    words = "no: a secret prompt"
    wire.refuses("ModelError", 424, OriginalStatusCode=status, OriginalMessage=words, LogStreamArn="arn:log")
    with pytest.raises(
        ModelError, match=f"support-bot: the container answered with status {status}.*{remedy}"
    ) as caught:
        send(wire, REQUEST, streamed=streamed)
    error = caught.value
    assert (error.status, error.original_message, error.log_stream_arn) == (status, words, "arn:log")
    assert isinstance(error.cause, ClientError)
    assert "secret" not in "".join(traceback.format_exception(error))


def test_sagemaker_s_own_refusals_are_boto3_s(wire: Wire) -> None:
    wire.refuses("ValidationError", 400)
    with pytest.raises(wire.client.exceptions.ValidationError):
        chat(wire).complete(REQUEST)


@pytest.mark.parametrize(
    ("failure", "code", "cause"),
    [
        (
            event_stream.exception("ModelStreamError", b'{"Message":"a secret prompt"}'),
            "ModelStreamError",
            EventStreamError,
        ),
        (event_stream.exception("InternalStreamFailure", b"{}"), "InternalStreamFailure", EventStreamError),
        (ConnectionResetError("a secret prompt"), "ConnectionResetError", ConnectionResetError),
    ],
)
def test_a_reply_that_breaks_off_keeps_what_arrived(
    wire: Wire, failure: Any, code: str, cause: type[Exception]
) -> None:
    wire.answers(200, event_stream.payload_part(PART + b'"}}]}\n\n'), failure)
    texts = []
    with chat(wire).stream(REQUEST) as stream, pytest.raises(ModelStreamError, match=f"after 3 .*{code}") as caught:
        texts.extend(text for text in stream)
    assert caught.value.received is not None
    assert caught.value.received.text == stream.reply.text == "Hel"
    assert isinstance(caught.value.cause, cause)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert wire.raw.closed


def test_errors_survive_a_process_boundary(wire: Wire) -> None:
    wire.refuses("ModelError", 424, OriginalStatusCode=400, OriginalMessage="no")
    with pytest.raises(ModelError) as caught:
        chat(wire).complete(REQUEST)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (str(copied), copied.status, copied.original_message) == (str(caught.value), 400, "no")


def test_nothing_of_ours_logs_a_prompt(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    chat(wire).complete(REQUEST)
    assert not [record for record in caplog.records if record.name.startswith("warmroute")]


WRONG: dict[str, tuple[Any, str]] = {
    "text": ('{"messages": []}', r"^request: A value of type str is not a chat request\. .*json\.loads"),
    "bytes": (b"{}", "^request: A value of type bytes"),
    "nothing": (None, "^request: None is not"),
    "a list": ([{"role": "user"}], "^request: A value of type list"),
    "no messages": ({"prompt": "x"}, "^request.messages: None is not a list of messages"),
    "messages as text": ({"messages": "Hello"}, "^request.messages: A value of type str"),
    "a message as text": ({"messages": [{"role": "user"}, "Hello"]}, r"^request\.messages\[1\]: A value of type str"),
    "options as true": ({"messages": [], "stream_options": True}, "^request.stream_options: A value of type bool"),
    "options as false": ({"messages": [], "stream_options": False}, "^request.stream_options"),
    "options as a list": ({"messages": [], "stream_options": []}, "^request.stream_options"),
    "options as a number": ({"messages": [], "stream_options": 1}, "^request.stream_options"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_request_of_the_wrong_kind_is_refused_by_its_field(wire: Wire, name: str) -> None:
    request, message = WRONG[name]
    chat = SageMakerChat(wire.client, "chat")
    with pytest.raises(InvalidSettingsError, match=message) as caught:
        chat.complete(request)
    assert "Hello" not in str(caught.value)
    with pytest.raises(InvalidSettingsError, match=message), chat.stream(request):
        pass
    assert not wire.sent


def test_wrong_arguments_are_refused_by_name(wire: Wire) -> None:
    arguments: dict[str, Any] = {
        "endpoint_name": 5, "inference_component": b"a", "target_variant": [], "prefix_aware_id": 5, "encode": "utf-8"
    }  # fmt: skip
    for name, wrong in arguments.items():
        given = {"endpoint_name": "chat", name: wrong}
        with pytest.raises(InvalidSettingsError, match=f"^{name}: "):
            SageMakerChat(wire.client, **given)
    with pytest.raises(InvalidSettingsError, match=r"^prefix_aware_id: "):
        SageMakerChat(wire.client, "chat").complete(REQUEST, prefix_aware_id=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidSettingsError, match=r"^encode: "):
        sagemaker.install(wire.client, encode="utf-8")  # type: ignore[arg-type]


@pytest.mark.parametrize("client", [None, {}, "chat", boto3.client("sagemaker", region_name="us-east-1")])
def test_what_invokes_no_endpoint_is_refused(client: Any) -> None:
    for kind in (SageMakerChat, AsyncSageMakerChat):
        with pytest.raises(UnsupportedClientError, match=r"^client: .*sagemaker-runtime"):
            kind(client, "chat")


def test_a_boto3_client_is_no_client_of_the_async_chat(wire: Wire) -> None:
    with pytest.raises(UnsupportedClientError, match=r"boto3 client\. Use SageMakerChat"):
        AsyncSageMakerChat(wire.client, "chat")
