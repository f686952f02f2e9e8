"""A boto3 ``sagemaker-runtime`` client that sends equal prompts as equal bytes, and names the tenant.

::

    runtime = sagemaker.install(boto3.client("sagemaker-runtime"), prefix_aware_id="support-bot")
    runtime.invoke_endpoint(EndpointName="chat", Body={"messages": [...], "temperature": 0.2})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from warmroute.errors import WarmrouteError
from warmroute.prefix import CanonicalJsonError, canonical_json
from warmroute.routing import PrefixAwareId

MAX_BODY_BYTES = 6_291_456
"""Largest body of a request. Source: botocore ``BodyBlob`` (sagemaker-runtime), which boto3 does not enforce."""

Client = TypeVar("Client")

IdOfCall: TypeAlias = Callable[[str, Mapping[str, Any]], str | None]
"""From the operation (``InvokeEndpoint``…) and the arguments of a call to its id, or None for a call without one."""


class UnsupportedClientError(WarmrouteError, TypeError):
    """A client of another service than ``sagemaker-runtime``, or no boto3 client at all."""


class BodyTooLargeError(WarmrouteError, ValueError):
    """A body that SageMaker would refuse for its size; nothing was sent.

    Args:
        size: Bytes of the body.
    """

    def __init__(self, size: int) -> None:
        message = f"Body: {size:,} bytes are more than SageMaker's limit of {MAX_BODY_BYTES:,}; nothing was sent."
        super().__init__(message, "Shorten the request, or send it with InvokeEndpointAsync through S3.")
        self.size = size

    def __reduce__(self) -> tuple[type[BodyTooLargeError], tuple[int]]:
        """Rebuilt from the size, so that it survives a process boundary."""
        return type(self), (self.size,)


def install(client: Client, *, prefix_aware_id: str | IdOfCall | None = None) -> Client:
    """Make a client send canonical JSON and a PrefixAwareId.

    From then on ``invoke_endpoint`` and ``invoke_endpoint_with_response_stream``

    - take a dict or a list as ``Body`` and send its canonical JSON, as ``application/json`` unless the call says else;
    - send a ``str`` or ``bytes`` body as canonical JSON if it is a JSON object or array and its ContentType is absent
      or ``application/json``; every other body is sent as it is, also one with a fault such as a duplicate key;
    - send the id, unless the call gives its own ``PrefixAwareId``;
    - refuse a body beyond 6,291,456 bytes before anything is sent.

    Other operations, and the arguments that callers pass, stay as they are. Installing again replaces the id.

    Args:
        client: A boto3 or botocore ``sagemaker-runtime`` client; returned.
        prefix_aware_id: One id for every call, or a function that finds the id of a call.

    Raises:
        UnsupportedClientError: The client is not a ``sagemaker-runtime`` client.
        InvalidSettingsError: The id is malformed; of a function's ids, at the call.
    """
    find_id = prefix_aware_id if callable(prefix_aware_id) else _constant(prefix_aware_id)

    def prepare(params: Mapping[str, Any], model: Any, **_: Any) -> dict[str, Any]:
        return _prepared(params, model.name, find_id)

    uninstall(client)
    events = _events(client)
    for event in _EVENTS:
        events.register(event, prepare, unique_id=_unique_id(event))
    return client


def uninstall(client: object) -> None:
    """Make a client what it was before ``install``; one without it stays as it is.

    Raises:
        UnsupportedClientError: The client is not a ``sagemaker-runtime`` client.
    """
    events = _events(client)
    for event in _EVENTS:
        events.unregister(event, unique_id=_unique_id(event))


_SERVICE = "sagemaker-runtime"
_EVENTS = tuple(
    f"provide-client-params.{_SERVICE}.{operation}"
    for operation in ("InvokeEndpoint", "InvokeEndpointWithResponseStream")
)
"""The two operations whose models have PrefixAwareId; the event comes before validation and signing."""


def _events(client: object) -> Any:
    meta = getattr(client, "meta", None)
    service = getattr(getattr(meta, "service_model", None), "service_name", None)
    if service != _SERVICE:
        found = f"a {service} client" if service else f"a {type(client).__name__}"
        raise UnsupportedClientError(f"client: {found} does not invoke endpoints.", f'Use boto3.client("{_SERVICE}").')
    return client.meta.events  # type: ignore[attr-defined]


def _unique_id(event: str) -> str:
    return f"warmroute.{event}"


def _constant(prefix_aware_id: str | None) -> IdOfCall:
    checked = None if prefix_aware_id is None else PrefixAwareId(prefix_aware_id)
    return lambda _operation, _params: checked


def _prepared(params: Mapping[str, Any], operation: str, find_id: IdOfCall) -> dict[str, Any]:
    prepared = dict(params)
    if "PrefixAwareId" not in params:
        prefix_aware_id = find_id(operation, params)
        if prefix_aware_id is not None:
            prepared["PrefixAwareId"] = PrefixAwareId(prefix_aware_id)
    if "Body" in params:
        body = params["Body"]
        if isinstance(body, (Mapping, list)):
            prepared["Body"] = canonical_json(body)
            prepared.setdefault("ContentType", "application/json")
        elif isinstance(body, (str, bytes, bytearray)) and _may_be_json(params.get("ContentType")):
            prepared["Body"] = _canonical_text(body)
        _check_size(prepared["Body"])
    return prepared


def _may_be_json(content_type: object) -> bool:
    return content_type is None or str(content_type).partition(";")[0].strip().lower() == "application/json"


def _canonical_text(body: str | bytes | bytearray) -> str | bytes | bytearray:
    # Numbers, words and quoted text are JSON too, but a body of these may as well be CSV or plain text.
    text = body if isinstance(body, str) else bytes(body)
    if not _opens_object_or_array(text):
        return body
    try:
        return canonical_json(text)
    except CanonicalJsonError:
        return body


def _opens_object_or_array(text: str | bytes) -> bool:
    start = text.lstrip()[:1]
    return (start if isinstance(start, str) else start.decode("latin-1")) in {"{", "["}


def _check_size(body: object) -> None:
    if isinstance(body, str):
        body = body.encode(errors="surrogatepass")
    if isinstance(body, (bytes, bytearray)) and len(body) > MAX_BODY_BYTES:
        raise BodyTooLargeError(len(body))
