"""The routing key of a request: equal keys go to the same instance.

SageMaker documents what enters a key, not how it is computed. Assumed here, wherever it is silent:

- A request shorter than ``prefix_length`` has its whole body, or its whole text, as its key.
- On the OpenAI-compatible API, the texts of ``messages`` follow each other without a separator; roles, tools and images
  do not count; a character is a code point.
- The digest is ours: keys can be compared with each other, not with anything inside SageMaker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.routing import PrefixAwareId

if TYPE_CHECKING:
    from warmroute.inference_api import Api


@dataclass(frozen=True, slots=True)
class RoutingKey:
    """What decides the instance of a request; equal if and only if the digests are."""

    digest: bytes
    """SHA-256 of the API, the id and the window."""

    window: int = field(compare=False)
    """How much of the request entered: bytes ("invoke") or characters ("openai")."""

    length: int = field(compare=False)
    """Length of the whole body or message text, in the same unit."""

    fills: bool = field(compare=False)
    """Whether the request is at least ``prefix_length`` long; if not, whatever is appended to it changes its key."""


@overload
def routing_key(
    request: bytes, *, api: Literal["invoke"], prefix_length: int, prefix_aware_id: str = ""
) -> RoutingKey: ...


@overload
def routing_key(
    request: Mapping[str, Any], *, api: Literal["openai"], prefix_length: int, prefix_aware_id: str = ""
) -> RoutingKey: ...


def routing_key(
    request: bytes | Mapping[str, Any],
    *,
    api: Api,
    prefix_length: int,
    prefix_aware_id: str = "",
) -> RoutingKey:
    """The key by which PREFIX_AWARE routing would choose an instance.

    Args:
        request: For "invoke", the body exactly as sent; for "openai", the request with its ``messages``.
        api: InvokeEndpoint compares bytes of the body, the OpenAI-compatible API characters of message text.
        prefix_length: Longest beginning compared. SageMaker takes 1,024 to 65,536; any positive length works here.
        prefix_aware_id: The PrefixAwareId or ``prompt_cache_key`` of the request; empty for none.

    Raises:
        InvalidSettingsError: The length is not positive, the id is malformed, or the request does not fit the API.
    """
    check_prefix_length(prefix_length)
    if prefix_aware_id:
        prefix_aware_id = PrefixAwareId(prefix_aware_id)
    whole = compared(request, api)
    window = whole[:prefix_length]
    return RoutingKey(
        _digest(api, prefix_aware_id, window if isinstance(window, bytes) else window.encode(errors="surrogatepass")),
        window=len(window),
        length=len(whole),
        fills=len(whole) >= prefix_length,
    )


def check_prefix_length(prefix_length: int) -> None:
    """Refuse a length that no window can have.

    Raises:
        InvalidSettingsError: The length is not a positive whole number.
    """
    if type(prefix_length) is not int or prefix_length < 1:
        raise _bad("prefix_length", "The length is not a positive whole number.", "SageMaker takes 1,024 to 65,536.")


def check_request(request: object) -> None:
    """Refuse what is neither a request nor JSON text.

    Raises:
        InvalidSettingsError: The request is not a mapping, ``str`` or ``bytes``.
    """
    if not isinstance(request, (Mapping, str, bytes)):
        kind = type(request).__name__
        raise _bad("request", f"The request is a {kind}.", "Give a mapping, or JSON text as str or bytes.")


def compared(request: object, api: str) -> bytes | str:
    """What SageMaker compares of a request, beyond the window too: its bytes, or its message text.

    Raises:
        InvalidSettingsError: The request does not fit the API, or there is no such API.
    """
    if api == "openai":
        return "".join(text for _, text in message_texts(request))
    if api != "invoke":
        raise _bad("api", "There is no such API.", 'Use "invoke" or "openai".')
    if not isinstance(request, bytes):
        raise _bad("request", f"The body is a {type(request).__name__}, not bytes.", "Use canonical_json(request).")
    return request


def message_texts(request: object) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts of a chat request's ``messages``, each with its path: text content, and text parts of listed content.

    Raises:
        InvalidSettingsError: The request has no list of messages.
    """
    messages = request.get("messages") if isinstance(request, Mapping) else None
    if not isinstance(messages, (list, tuple)):
        raise _bad("request.messages", "The request has no list of messages.", "Give a chat request as a mapping.")
    for position, message in enumerate(messages):
        content = message.get("content") if isinstance(message, Mapping) else None
        path = ("messages", position, "content")
        if isinstance(content, str):
            yield path, content
        elif isinstance(content, (list, tuple)):
            for index, part in enumerate(content):
                if isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str):
                    yield (*path, index, "text"), part["text"]


def _digest(api: str, prefix_aware_id: str, window: bytes) -> bytes:
    """Every part is preceded by its length, so that no two (id, window) pairs make the same input."""
    key = hashlib.sha256(b"warmroute/routing-key/1")
    for part in (api.encode(), prefix_aware_id.encode(), window):
        key.update(len(part).to_bytes(8, "big"))
        key.update(part)
    return key.digest()


def _bad(path: str, message: str, remedy: str) -> InvalidSettingsError:
    return InvalidSettingsError([Finding("WR006", Severity.ERROR, path, message, remedy, _SOURCE)])


_SOURCE = "botocore PrefixAwareRoutingConfig"
