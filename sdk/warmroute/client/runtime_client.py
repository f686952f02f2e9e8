"""Recognises the clients whose events the helpers listen to."""

from __future__ import annotations

import inspect
from typing import Any

from warmroute.client.errors import UnsupportedClientError

SERVICE = "sagemaker-runtime"


def runtime_events(client: object) -> Any:
    """The event hooks of a boto3, botocore or aiobotocore client that invokes endpoints.

    Raises:
        UnsupportedClientError: It is another client.
    """
    meta = getattr(client, "meta", None)
    service = getattr(getattr(meta, "service_model", None), "service_name", None)
    if meta is None or service != SERVICE:
        found = f"a {service} client" if service else f"a {type(client).__name__}"
        raise UnsupportedClientError(f"client: {found} does not invoke endpoints.", f'Use boto3.client("{SERVICE}").')
    return meta.events


def gives_awaitables(client: object) -> bool | None:
    """Whether the calls of a client have to be awaited; None for what is no botocore client, as a stub of a test."""
    if getattr(getattr(client, "meta", None), "service_model", None) is None:
        return None
    return inspect.iscoroutinefunction(getattr(client, "close", None))
