"""An endpoint that answers offline and records routing keys, for the tests of applications.

    def test_a_conversation_keeps_its_key():
        endpoint = FakeEndpoint("Hello!", prefix_length=1024)
        runtime = endpoint.connect(boto3.client("sagemaker-runtime", region_name="us-east-1"))
        my_application(runtime)
        assert len({request.routing_key for request in endpoint.requests}) == 1

For openai clients: ``openai.client("chat", region="us-east-1", api_key="x", http_client=endpoint.http_client())``.
Neither needs credentials or a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from urllib.parse import unquote

import orjson

from warmroute.client.body_size import encoded
from warmroute.client.fake_reply import reply_of, streamed
from warmroute.client.fake_response import Events, Ok, body_of
from warmroute.client.runtime_client import SERVICE, gives_awaitables, runtime_events
from warmroute.errors import MissingExtraError
from warmroute.prefix import RoutingKey, routing_key

if TYPE_CHECKING:
    import httpx2

    from warmroute.inference_api import Api

Client = TypeVar("Client")

Answer: TypeAlias = str | Mapping[str, Any]
"""The text of a reply, or the whole answer: for a chat, a chat completion in OpenAI's form."""


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request as it would have reached the endpoint."""

    api: Api

    endpoint_name: str
    inference_component: str
    """Empty for none."""

    target_variant: str
    """Empty for none."""

    prefix_aware_id: str
    """The PrefixAwareId, or the ``prompt_cache_key`` on the OpenAI-compatible API; empty for none."""

    routing_key: RoutingKey
    """Equal for requests that PREFIX_AWARE routing sends to the same instance."""

    body: bytes = field(repr=False)
    """What was sent; not in ``repr``, so that no prompt gets into a test's log."""


class FakeEndpoint:
    """Answers every request with the same text, or as a function says, streamed where that was asked for.

    Args:
        answer: The text of every reply, a whole answer, or a function from the request to either. What the function
            raises, the application meets at its call. The text comes in the form that fits the request: a chat
            completion, a completion for a ``prompt``, a ``generated_text`` for ``inputs``; an embedding request gets
            vectors instead, equal ones for equal inputs.
        prefix_length: Longest beginning that is compared: bytes (InvokeEndpoint) or characters (OpenAI API).
    """

    def __init__(
        self, answer: Answer | Callable[[Mapping[str, Any]], Answer] = "A reply.", *, prefix_length: int = 1_024
    ) -> None:
        self._answer = answer if callable(answer) else lambda _request: answer
        self._prefix_length = prefix_length
        self.requests: list[RecordedRequest] = []
        """Every request, the first one first."""

    def connect(self, client: Client) -> Client:
        """Make a boto3 or aiobotocore ``sagemaker-runtime`` client send its invocations here, and nowhere else.

        Args:
            client: The client, with or without ``sagemaker.install``; returned.

        Raises:
            UnsupportedClientError: It is another client.
        """
        events = runtime_events(client)
        is_async = gives_awaitables(client) is True

        def invoke(model: Any, params: Mapping[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
            return self._invoked(model.name, params, is_async=is_async)

        for operation in ("InvokeEndpoint", "InvokeEndpointWithResponseStream"):
            for event, handler in (("provide-client-params", _check_text), ("before-call", invoke)):
                name = f"{event}.{SERVICE}.{operation}"
                events.unregister(name, unique_id=f"warmroute.testing.{name}")
                events.register(name, handler, unique_id=f"warmroute.testing.{name}")
        return client

    def http_client(self) -> httpx2.Client:
        """For ``http_client=`` of an ``openai.OpenAI`` or of ``warmroute.client.openai.client``.

        Raises:
            MissingExtraError: openai is not installed.
        """
        httpx2 = _httpx2()
        return httpx2.Client(transport=httpx2.MockTransport(self._posted))  # type: ignore[no-any-return]

    def async_http_client(self) -> httpx2.AsyncClient:
        """For ``http_client=`` of an ``openai.AsyncOpenAI`` or of ``warmroute.client.openai.async_client``.

        Raises:
            MissingExtraError: openai is not installed.
        """
        httpx2 = _httpx2()
        return httpx2.AsyncClient(transport=httpx2.MockTransport(self._posted))  # type: ignore[no-any-return]

    def _invoked(self, operation: str, params: Mapping[str, Any], *, is_async: bool) -> tuple[Any, dict[str, Any]]:
        headers = {name.lower(): value for name, value in params["headers"].items()}
        body = _sent(params["body"])
        prefix_aware_id = headers.get("x-amzn-sagemaker-prefix-aware-id", "")
        self.requests.append(
            RecordedRequest(
                api="invoke",
                endpoint_name=unquote(params["url_path"].split("/")[2]),
                inference_component=headers.get("x-amzn-sagemaker-inference-component", ""),
                target_variant=headers.get("x-amzn-sagemaker-target-variant", ""),
                prefix_aware_id=prefix_aware_id,
                routing_key=routing_key(
                    body, api="invoke", prefix_length=self._prefix_length, prefix_aware_id=prefix_aware_id
                ),
                body=body,
            )
        )
        request = _object(body)
        parts, content_type = self._reply(request)
        response: dict[str, Any] = {"ContentType": content_type, "InvokedProductionVariant": "fake"}
        if operation == "InvokeEndpoint":
            response["Body"] = body_of(b"".join(parts), is_async=is_async)
        else:
            response["Body"] = Events(parts)
        return Ok(), {**response, "ResponseMetadata": {"HTTPStatusCode": 200, "HTTPHeaders": {}}}

    def _posted(self, request: httpx2.Request) -> httpx2.Response:
        values = _object(request.content)
        key = values.get("prompt_cache_key") or ""
        path = request.url.path.split("/")
        self.requests.append(
            RecordedRequest(
                api="openai",
                endpoint_name=_after("endpoints", path),
                inference_component=_after("inference-components", path),
                target_variant="",
                prefix_aware_id=key,
                routing_key=routing_key(
                    # Requests of other APIs have no message text.
                    values if "messages" in values else {"messages": []},
                    api="openai",
                    prefix_length=self._prefix_length,
                    prefix_aware_id=key,
                ),
                body=request.content,
            )
        )
        parts, content_type = self._reply(values)
        response: httpx2.Response = _httpx2().Response(
            200, content=b"".join(parts), headers={"content-type": content_type}
        )
        return response

    def _reply(self, request: Mapping[str, Any]) -> tuple[list[bytes], str]:
        answer = self._answer(request)
        whole = reply_of(answer, request, len(self.requests)) if isinstance(answer, str) else answer
        if request.get("stream") is True and "choices" in whole:
            return list(streamed(whole, request)), "text/event-stream"
        return [orjson.dumps(whole)], "application/json"


def _check_text(params: Mapping[str, Any], **_: Any) -> None:
    if isinstance(params.get("Body"), str):
        encoded(params["Body"])


def _sent(body: Any) -> bytes:
    """What botocore would send of a body: bytes, text, a file, or parts."""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return encoded(body)
    return bytes(body) if isinstance(body, (bytes, bytearray, memoryview)) else b"".join(body or ())


def _object(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; an empty one for any other body."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _after(name: str, path: list[str]) -> str:
    return unquote(path[path.index(name) + 1]) if name in path[:-1] else ""


def _httpx2() -> Any:
    try:
        import httpx2
    except ImportError:
        raise MissingExtraError("warmroute.client.testing for openai clients", "openai") from None
    return httpx2
