"""A boto3 or aiobotocore ``sagemaker-runtime`` client that sends equal prompts as equal bytes, and names the tenant.

    runtime = sagemaker.install(boto3.client("sagemaker-runtime"), prefix_aware_id="support-bot")
    runtime.invoke_endpoint(EndpointName="chat", Body={"messages": [...], "temperature": 0.2})

An aiobotocore client is installed on in the same way, inside ``async with session.create_client(…) as runtime``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from warmroute.client.body_size import MAX_BODY_BYTES, BodyTooLargeError, check_body
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.kinds import check_encode
from warmroute.client.runtime_client import SERVICE, runtime_events
from warmroute.prefix import CanonicalJsonError, canonical_json
from warmroute.routing import PrefixAwareId

if TYPE_CHECKING:
    from warmroute.client.encoding import Encode

__all__ = ["MAX_BODY_BYTES", "BodyTooLargeError", "IdOfCall", "UnsupportedClientError", "install", "uninstall"]

Client = TypeVar("Client")

IdOfCall: TypeAlias = Callable[[str, Mapping[str, Any]], str | None]
"""From the operation (``InvokeEndpoint``…) and the arguments of a call to its id, or None for a call without one."""


def install(
    client: Client, *, prefix_aware_id: str | IdOfCall | None = None, encode: Encode = canonical_json
) -> Client:
    """Make a client send canonical JSON and a PrefixAwareId.

    From then on ``invoke_endpoint`` and ``invoke_endpoint_with_response_stream``

    - take a dict or a list as ``Body`` and send its canonical JSON, as ``application/json`` unless the call says else;
    - send a ``str`` or ``bytes`` body as canonical JSON if it is a JSON object or array and its ContentType is absent
      or ``application/json``; every other body is sent as it is, also one with a fault such as a duplicate key;
    - send the id, unless the call gives its own ``PrefixAwareId``; a malformed one is refused, since botocore sends
      line breaks and non-ASCII characters as they are;
    - refuse a body beyond 6,291,456 bytes, or text with a lone surrogate, before anything is sent.

    Other operations, and the arguments that callers pass, stay as they are. Installing again replaces the id.

    Args:
        client: A boto3, botocore or aiobotocore ``sagemaker-runtime`` client; returned.
        prefix_aware_id: One id for every call, or a function that finds the id of a call, of a tenant or of a
            conversation; ``warmroute.client.ids.hashed_id`` keeps their names to yourself.
        encode: How JSON is written; for another order of fields, ``functools.partial(canonical_json, order=…)``.

    Raises:
        UnsupportedClientError: The client is not a ``sagemaker-runtime`` client.
        InvalidSettingsError: The id or the encoder is malformed; of a function's ids, at the call.
    """
    find_id = prefix_aware_id if callable(prefix_aware_id) else _constant(prefix_aware_id)
    check_encode(encode)
    events = runtime_events(client)
    with _LOCK:
        installed = _INSTALLED.get(events)
        if installed is not None:
            # One assignment, so that no call of another thread goes out unprepared in between.
            installed.settings = (find_id, encode)
            return client
        preparation = _INSTALLED[events] = _Preparation((find_id, encode))
        for event in _EVENTS:
            events.register(event, preparation, unique_id=_unique_id(event))
    return client


def uninstall(client: object) -> None:
    """Make a client what it was before ``install``; one without it stays as it is.

    Raises:
        UnsupportedClientError: The client is not a ``sagemaker-runtime`` client.
    """
    events = runtime_events(client)
    with _LOCK:
        _INSTALLED.pop(events, None)
        for event in _EVENTS:
            events.unregister(event, unique_id=_unique_id(event))


_EVENTS = tuple(
    f"provide-client-params.{SERVICE}.{operation}"
    for operation in ("InvokeEndpoint", "InvokeEndpointWithResponseStream")
)
"""The two operations whose models have PrefixAwareId; the event comes before validation and signing."""


class _Preparation:
    """What botocore calls with the arguments of every invocation."""

    def __init__(self, settings: tuple[IdOfCall, Encode]) -> None:
        self.settings = settings

    def __call__(self, params: Mapping[str, Any], model: Any, **_: Any) -> dict[str, Any]:
        find_id, encode = self.settings
        return _prepared(params, model.name, find_id, encode)


_INSTALLED: WeakKeyDictionary[Any, _Preparation] = WeakKeyDictionary()
"""The preparation of each client, by the client's events."""

_LOCK = threading.Lock()


def _unique_id(event: str) -> str:
    return f"warmroute.{event}"


def _constant(prefix_aware_id: str | None) -> IdOfCall:
    checked = None if prefix_aware_id is None else PrefixAwareId(prefix_aware_id)
    return lambda _operation, _params: checked


def _prepared(params: Mapping[str, Any], operation: str, find_id: IdOfCall, encode: Encode) -> dict[str, Any]:
    prepared = dict(params)
    prefix_aware_id = (
        params["PrefixAwareId"] if "PrefixAwareId" in params else find_id(operation, MappingProxyType(params))
    )
    if prefix_aware_id is not None:
        prepared["PrefixAwareId"] = PrefixAwareId(prefix_aware_id)
    if "Body" in params:
        body = params["Body"]
        if isinstance(body, (Mapping, list)):
            prepared["Body"] = encode(body)
            prepared.setdefault("ContentType", "application/json")
        elif isinstance(body, (str, bytes, bytearray)) and _may_be_json(params.get("ContentType")):
            prepared["Body"] = _canonical_text(body, encode)
        check_body(prepared["Body"])
    return prepared


def _may_be_json(content_type: object) -> bool:
    return content_type is None or str(content_type).partition(";")[0].strip().lower() == "application/json"


def _canonical_text(body: str | bytes | bytearray, encode: Encode) -> str | bytes | bytearray:
    # Numbers, words and quoted text are JSON too, but a body of these may as well be CSV or plain text.
    text = body if isinstance(body, str) else bytes(body)
    if not _opens_object_or_array(text):
        return body
    try:
        return encode(text)
    except CanonicalJsonError:
        return body


def _opens_object_or_array(text: str | bytes) -> bool:
    start = text.lstrip()[:1]
    return (start if isinstance(start, str) else start.decode("latin-1")) in {"{", "["}
