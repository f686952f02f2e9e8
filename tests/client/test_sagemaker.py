"""What leaves a boto3 client after ``install``, read from the request that would go over the wire."""

import contextlib
import copy
import json
import pickle
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakKeyDictionary

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ParamValidationError

from warmroute.client import sagemaker
from warmroute.errors import InvalidSettingsError
from warmroute.prefix import CanonicalJsonError

ID_HEADER = "X-Amzn-SageMaker-Prefix-Aware-Id"
CHAT = {"temperature": 0.2, "messages": [{"content": "é", "role": "user"}]}
CHAT_BYTES = '{"messages":[{"role":"user","content":"é"}],"temperature":0.2}'.encode()


class RawBody:
    def stream(self) -> Iterator[bytes]:
        yield b"{}"

    def read(self, *_: Any) -> bytes:
        return b"{}"


class Wire:
    """A client whose requests end here instead of on the network."""

    def __init__(self, service: str = "sagemaker-runtime") -> None:
        self.sent: list[AWSPreparedRequest] = []
        self.client = boto3.client(
            service,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(retries={"max_attempts": 0}),
        )
        self.client.meta.events.register("before-send", self.keep)

    def keep(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        self.sent.append(request)
        return AWSResponse(request.url, 200, {"Content-Type": "application/json"}, RawBody())

    def invoke(self, **params: Any) -> AWSPreparedRequest:
        self.client.invoke_endpoint(EndpointName="chat", **params)
        return self.sent[-1]


@pytest.fixture
def wire() -> Wire:
    return Wire()


def header(request: AWSPreparedRequest, name: str) -> str | None:
    value = request.headers.get(name)
    return value.decode() if isinstance(value, bytes) else value


def test_a_dict_is_sent_as_canonical_json_with_the_id_signed(wire: Wire) -> None:
    assert sagemaker.install(wire.client, prefix_aware_id="support-bot") is wire.client
    body = copy.deepcopy(CHAT)
    request = wire.invoke(Body=body)
    assert request.body == CHAT_BYTES
    assert header(request, "Content-Type") == "application/json"
    assert header(request, ID_HEADER) == "support-bot"
    assert ID_HEADER.lower() in (header(request, "Authorization") or "")
    assert json.dumps(body) == json.dumps(CHAT)


def test_a_stream_is_prepared_the_same_way(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    wire.client.invoke_endpoint_with_response_stream(EndpointName="chat", Body=CHAT)
    assert wire.sent[0].body == CHAT_BYTES
    assert header(wire.sent[0], ID_HEADER) == "support-bot"


def test_a_list_is_sent_as_json(wire: Wire) -> None:
    sagemaker.install(wire.client)
    assert wire.invoke(Body=[1e-5, "é"]).body == '[1e-05,"é"]'.encode()


@pytest.mark.parametrize("content_type", [None, "application/json", "Application/JSON; charset=utf-8"])
@pytest.mark.parametrize(
    "encode", [str, str.encode, lambda text: bytearray(text, "utf-8")], ids=["str", "bytes", "bytearray"]
)
def test_json_text_is_sent_as_canonical_json(wire: Wire, encode: Any, content_type: str | None) -> None:
    sagemaker.install(wire.client)
    params = {} if content_type is None else {"ContentType": content_type}
    request = wire.invoke(Body=encode(json.dumps(CHAT, indent=2)), **params)
    assert request.body == CHAT_BYTES
    assert header(request, "Content-Type") == content_type


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"b": 1, "a": 2}', "text/csv"),
        (b"1.50, 2", None),
        (b" 1.50", None),
        (b"\xff\x00", None),
        (b"", None),
        (b'{"a": 1, "a": 2}', "application/json"),
        (b"{truncated", "application/json"),
    ],
)
def test_other_bodies_are_sent_as_they_are(wire: Wire, body: bytes, content_type: str | None) -> None:
    sagemaker.install(wire.client)
    params = {} if content_type is None else {"ContentType": content_type}
    request = wire.invoke(Body=body, **params)
    assert (request.body or b"") == body
    assert header(request, "Content-Type") == content_type


def test_the_content_type_of_the_call_wins(wire: Wire) -> None:
    sagemaker.install(wire.client)
    assert (
        header(wire.invoke(Body=CHAT, ContentType="application/jsonlines"), "Content-Type") == "application/jsonlines"
    )


def test_the_id_of_the_call_wins(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    assert header(wire.invoke(Body=CHAT, PrefixAwareId="own"), ID_HEADER) == "own"


@pytest.mark.parametrize("bad", ["a\r\nX-Evil: 1", "é", "x" * 65])
def test_a_malformed_id_of_the_call_is_refused_before_sending(wire: Wire, bad: str) -> None:
    sagemaker.install(wire.client)
    with pytest.raises(InvalidSettingsError):
        wire.invoke(Body=CHAT, PrefixAwareId=bad)
    assert not wire.sent


def test_json_can_be_written_in_another_way(wire: Wire) -> None:
    sagemaker.install(wire.client, encode=lambda request: b"other" if request == CHAT else b"text")
    assert wire.invoke(Body=CHAT).body == b"other"
    assert wire.invoke(Body=b"{}").body == b"text"


def test_an_id_can_be_found_for_each_call(wire: Wire) -> None:
    seen = []

    def tenant(operation: str, params: Mapping[str, Any]) -> str | None:
        seen.append(operation)
        return params["Body"].get("user")

    sagemaker.install(wire.client, prefix_aware_id=tenant)
    assert header(wire.invoke(Body={"user": "t1"}), ID_HEADER) == "t1"
    assert header(wire.invoke(Body={}), ID_HEADER) is None
    wire.client.invoke_endpoint_with_response_stream(EndpointName="chat", Body={})
    assert seen == ["InvokeEndpoint", "InvokeEndpoint", "InvokeEndpointWithResponseStream"]
    with pytest.raises(InvalidSettingsError):
        wire.invoke(Body={"user": "é"})


@pytest.mark.parametrize("bad", ["", " x", "x" * 65, "a\nb"])
def test_a_malformed_id_is_refused_before_anything_is_installed(wire: Wire, bad: str) -> None:
    with pytest.raises(InvalidSettingsError):
        sagemaker.install(wire.client, prefix_aware_id=bad)
    assert wire.invoke(Body=b'{ "a": 1 }').body == b'{ "a": 1 }'


def test_installing_again_replaces(wire: Wire) -> None:
    calls = []
    sagemaker.install(wire.client, prefix_aware_id=lambda *_: calls.append("first"))
    sagemaker.install(wire.client, prefix_aware_id=lambda *_: calls.append("second") or "second")
    assert header(wire.invoke(Body=CHAT), ID_HEADER) == "second"
    assert calls == ["second"]


def test_no_call_goes_out_unprepared_while_another_thread_installs_again(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="a")
    stop = threading.Event()

    def install_again() -> None:
        while not stop.is_set():
            sagemaker.install(wire.client, prefix_aware_id="b")
            sagemaker.install(wire.client, prefix_aware_id="a")

    with ThreadPoolExecutor(1) as pool:
        installing = pool.submit(install_again)
        try:
            requests = [wire.invoke(Body=CHAT) for _ in range(150)]
        finally:
            stop.set()
        installing.result()

    assert {request.body for request in requests} == {CHAT_BYTES}
    assert {header(request, ID_HEADER) for request in requests} <= {"a", "b"}


def test_threads_that_install_at_once_leave_one_installation(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)

    class Slow(WeakKeyDictionary[Any, Any]):
        """Lets two threads look before either of them writes, unless one of them has to wait for the other."""

        def get(self, *args: Any) -> Any:
            found = super().get(*args)
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(timeout=0.2)
            return found

    monkeypatch.setattr(sagemaker, "_INSTALLED", Slow())
    with ThreadPoolExecutor(2) as pool:
        for number in range(2):
            pool.submit(sagemaker.install, wire.client, prefix_aware_id=str(number))
    sagemaker.install(wire.client, prefix_aware_id="last")
    assert header(wire.invoke(Body=CHAT), ID_HEADER) == "last"
    sagemaker.uninstall(wire.client)
    assert header(wire.invoke(Body=b"{}"), ID_HEADER) is None


@pytest.mark.parametrize("content_type", ["application/json", "text/csv"])
@pytest.mark.parametrize("body", ['{"a": "\ud800"}', "1,\udfff", "\ud800"])
def test_text_that_utf_8_lacks_is_refused_in_words(wire: Wire, body: str, content_type: str) -> None:
    sagemaker.install(wire.client)
    with pytest.raises(CanonicalJsonError, match=r"^Body, offset \d+: the text has a lone surrogate") as caught:
        wire.invoke(Body=body, ContentType=content_type)
    assert caught.value.__context__ is None
    assert not wire.sent


def test_a_function_that_finds_the_id_cannot_change_the_call(wire: Wire) -> None:
    def find(_: str, params: Any) -> str:
        params["Body"] = b"changed"
        return "a"

    sagemaker.install(wire.client, prefix_aware_id=find)
    with pytest.raises(TypeError):
        wire.invoke(Body=CHAT)


def test_uninstalling_restores_the_client(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    sagemaker.uninstall(wire.client)
    sagemaker.uninstall(wire.client)
    request = wire.invoke(Body=b'{ "a": 1 }')
    assert request.body == b'{ "a": 1 }'
    assert header(request, ID_HEADER) is None


def test_operations_without_the_parameter_are_untouched(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    wire.client.invoke_endpoint_async(EndpointName="chat", InputLocation="s3://bucket/key")
    assert header(wire.sent[0], ID_HEADER) is None


def test_two_clients_do_not_share_an_installation(wire: Wire) -> None:
    sagemaker.install(wire.client, prefix_aware_id="support-bot")
    assert header(Wire().invoke(Body=b"{}"), ID_HEADER) is None


@pytest.mark.parametrize("shape", [dict, str, bytes])
def test_a_body_beyond_the_limit_is_refused_before_sending(wire: Wire, shape: type) -> None:
    sagemaker.install(wire.client)
    frame = len(b'{"inputs":""}')

    def body(size: int) -> Any:
        text = "x" * (size - frame)
        return (
            {"inputs": text}
            if shape is dict
            else shape(json.dumps({"inputs": text}).encode(), *["utf-8"] * (shape is str))
        )

    wire.invoke(Body=body(sagemaker.MAX_BODY_BYTES))
    with pytest.raises(sagemaker.BodyTooLargeError, match="6,291,457 bytes") as caught:
        wire.invoke(Body=body(sagemaker.MAX_BODY_BYTES + 1))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert len(wire.sent) == 1


def test_an_opaque_body_beyond_the_limit_is_refused_too(wire: Wire) -> None:
    sagemaker.install(wire.client)
    with pytest.raises(sagemaker.BodyTooLargeError):
        wire.invoke(Body="é" * (sagemaker.MAX_BODY_BYTES // 2 + 1), ContentType="text/plain")
    assert not wire.sent


def test_a_call_without_a_body_is_boto3_s_to_judge(wire: Wire) -> None:
    sagemaker.install(wire.client)
    with pytest.raises(ParamValidationError, match="EndpointName"):
        wire.client.invoke_endpoint(ContentType="application/json")


def test_a_dict_without_a_json_form_is_refused_before_sending(wire: Wire) -> None:
    sagemaker.install(wire.client)
    with pytest.raises(CanonicalJsonError, match="temperature"):
        wire.invoke(Body={"temperature": float("nan")})
    assert not wire.sent


@pytest.mark.parametrize("use", [sagemaker.install, sagemaker.uninstall])
def test_other_clients_are_refused(use: Any) -> None:
    with pytest.raises(sagemaker.UnsupportedClientError, match="a sagemaker client"):
        use(Wire("sagemaker").client)
    with pytest.raises(sagemaker.UnsupportedClientError, match="a dict"):
        use({})
