"""The routing key of a request to a fleet: what PREFIX_AWARE routing compares, empty for other strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from warmroute.errors import InvalidSettingsError
from warmroute.local.data.failures import invalid
from warmroute.prefix import routing_key

if TYPE_CHECKING:
    from warmroute.routing import RoutingConfig


def invocation_key(routing: RoutingConfig | None, body: bytes, prefix_aware_id: str) -> bytes:
    """The key of an InvokeEndpoint request.

    Args:
        routing: Routing of the fleet.
        body: As sent.
        prefix_aware_id: The PrefixAwareId; empty for none.

    Raises:
        Refusal: The id is malformed.
    """
    length = _prefix_length(routing)
    if length is None:
        return b""
    try:
        return routing_key(body, api="invoke", prefix_length=length, prefix_aware_id=prefix_aware_id).digest
    except InvalidSettingsError as error:
        raise invalid(f"PrefixAwareId: {error.findings[0].message}") from None


def chat_key(routing: RoutingConfig | None, body: bytes) -> bytes:
    """The key of a request to the OpenAI-compatible API; empty for what is no chat request, which no container takes.

    Args:
        routing: Routing of the fleet.
        body: As sent.

    Raises:
        Refusal: Its ``prompt_cache_key`` is malformed.
    """
    length = _prefix_length(routing)
    if length is None:
        return b""
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError:
        return b""
    if not isinstance(values, dict) or not isinstance(values.get("messages"), list):
        return b""
    cache_key = values.get("prompt_cache_key")
    if cache_key is not None and not isinstance(cache_key, str):
        raise invalid("prompt_cache_key: the key is not text.")
    try:
        return routing_key(values, api="openai", prefix_length=length, prefix_aware_id=cache_key or "").digest
    except InvalidSettingsError as error:
        raise invalid(f"prompt_cache_key: {error.findings[0].message}") from None


def _prefix_length(routing: RoutingConfig | None) -> int | None:
    settings = routing.prefix_aware_routing_config if routing else None
    return settings.prefix_length if settings else None
