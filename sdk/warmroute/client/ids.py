"""Ids that keep the requests of one tenant, application or conversation together.

An id is a routing hint, not isolation: requests of different ids may share an instance and its KV cache. Only vLLM's
``cache_salt`` separates cache entries. It travels as a plain header or field and may be logged on its way, so derive it
by keyed hash (``PrefixAwareId.derive``, ``hashed_id``) instead of sending a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeAlias

from warmroute.routing import PrefixAwareId

IdOfRequest: TypeAlias = Callable[[Mapping[str, Any]], str | None]
"""From a chat request to its id, or None for a request without one."""

Arguments = ParamSpec("Arguments")


def hashed_id(find: Callable[Arguments, str | None], *, key: bytes | str) -> Callable[Arguments, PrefixAwareId | None]:
    """Ids that show nothing of the tenant or conversation that they stand for.

        prompt_cache_key = hashed_id(lambda request: request["user"], key=SECRET)

    Args:
        find: Finds the name of a call's tenant or conversation; None or an empty name for a call without an id.
        key: Secret of at least 16 bytes; the same key gives the same ids everywhere.

    Returns:
        A function of the same arguments, for ``prefix_aware_id`` and ``prompt_cache_key``.

    Raises:
        InvalidSettingsError: The key is too short.
    """
    PrefixAwareId.derive("any", key=key)  # Refuses a bad key here instead of at the first call.

    def hashed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> PrefixAwareId | None:
        name = find(*args, **kwargs)
        return PrefixAwareId.derive(name, key=key) if name else None

    return hashed


def id_of_request(given: str | IdOfRequest | None) -> Callable[[Mapping[str, Any]], PrefixAwareId | None]:
    """One way to ask for the id of a request, whether it is a constant, found for each request or absent.

    Raises:
        InvalidSettingsError: The constant is malformed; of a function's ids, at the request.
    """
    if callable(given):
        find = given
        return lambda request: _checked(find(request))
    constant = _checked(given)
    return lambda _request: constant


def _checked(value: str | None) -> PrefixAwareId | None:
    return None if value is None else PrefixAwareId(value)
