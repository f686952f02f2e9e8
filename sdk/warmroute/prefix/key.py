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
from typing import Any, Literal, overload

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.routing import PrefixAwareId


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
    api: Literal["invoke", "openai"],
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
    if type(prefix_length) is not int or prefix_length < 1:
        raise _bad("prefix_length", "The length is not a positive whole number.", "SageMaker takes 1,024 to 65,536.")
    if prefix_aware_id:
        prefix_aware_id = PrefixAwareId(prefix_aware_id)
    if api == "invoke":
        if not isinstance(request, bytes):
            raise _bad("request", f"The body is a {type(request).__name__}, not bytes.", "Use canonical_json(request).")
        length = len(request)
        window = request[:prefix_length]
    elif api == "openai":
        text = message_text(request)
        length = len(text)
        window = text[:prefix_length].encode(errors="surrogatepass")
    else:
        raise _bad("api", "There is no such API.", 'Use "invoke" or "openai".')
    return RoutingKey(
        _digest(api, prefix_aware_id, window), min(length, prefix_length), length, length >= prefix_length
    )


def message_text(request: object) -> str:
    """The text of a chat request's ``messages``, one after the other: text content, and text parts of listed content.

    Raises:
        InvalidSettingsError: The request has no list of messages.
    """
    messages = request.get("messages") if isinstance(request, Mapping) else None
    if not isinstance(messages, (list, tuple)):
        raise _bad("request.messages", "The request has no list of messages.", "Give a chat request as a mapping.")
    return "".join(
        text for message in messages if isinstance(message, Mapping) for text in _texts(message.get("content"))
    )


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, (list, tuple)):
        for part in content:
            if isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str):
                yield part["text"]


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
