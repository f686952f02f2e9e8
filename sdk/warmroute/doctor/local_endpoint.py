"""Probes of the local endpoint: where clients are sent, and whether its port is free."""

from __future__ import annotations

import json
import socket
from contextlib import closing, suppress
from enum import Enum, auto
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from warmroute.doctor.diagnosis import ok, problem, warning
from warmroute.loopback import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.doctor.diagnosis import Diagnosis
    from warmroute.doctor.machine import Machine

VARIABLES = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SAGEMAKER", "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME")
"""Variables that send clients of SageMaker elsewhere than to AWS."""

_ASK_SECONDS = 5.0


class Listener(Enum):
    """Who listens on a port of this machine."""

    NOBODY = auto()
    OURS = auto()
    """A local endpoint of warmroute."""

    OTHER = auto()


def endpoint_url(machine: Machine) -> Iterator[Diagnosis]:
    """Where clients are sent instead of to AWS, and whether a local endpoint is there."""
    if machine.environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return
    for name in VARIABLES:
        if url := machine.environment.get(name):
            yield _endpoint_url(name, url)


def _endpoint_url(name: str, url: str) -> Diagnosis:
    unset = f"unset {name}"
    try:
        where = urlsplit(url)
        host, port = where.hostname, where.port or (443 if where.scheme == "https" else 80)
    except ValueError:
        host, port, where = None, 0, None
    if where is None or host is None or where.scheme not in {"http", "https"}:
        return problem(name, f"{url} is no address.", f"It is like http://localhost:8333; to go to AWS: {unset}")
    if not is_loopback(host):
        return warning(name, f"calls go to {url}.", f"If they should go to AWS: {unset}")
    match listener(host, port):
        case Listener.OURS:
            return ok(name, f"calls go to the local endpoint, which runs on {url}.")
        case Listener.OTHER:
            return warning(name, f"what runs on {url} is no warmroute local.", f"If calls should go to AWS: {unset}")
    return problem(
        name, f"calls go to {url}, where nothing runs.", f"Start it: warmroute local --port {port}; or: {unset}"
    )


def port(machine: Machine) -> Iterator[Diagnosis]:
    """Whether ``warmroute local`` can have its usual port."""
    from warmroute.local.options import DEFAULT_PORT

    del machine
    match listener("127.0.0.1", DEFAULT_PORT):
        case Listener.NOBODY:
            yield ok("local port", f"{DEFAULT_PORT} is free.")
        case Listener.OURS:
            yield ok("local port", f"warmroute local runs on {DEFAULT_PORT}.", "A second one takes --port 0.")
        case Listener.OTHER:
            yield warning(
                "local port",
                f"another program has {DEFAULT_PORT}, the port of warmroute local.",
                "Give another: warmroute local --port 0",
            )


def listener(host: str, port: int) -> Listener:
    """Who listens on a port of this machine.

    Args:
        host: A name of this machine.
        port: Its number.
    """
    from warmroute.local.pages import STATE_PATH

    try:
        socket.create_connection((host, port), timeout=_ASK_SECONDS).close()
    except OSError:
        return Listener.NOBODY
    with (
        closing(HTTPConnection(host, port, timeout=_ASK_SECONDS)) as connection,
        suppress(OSError, HTTPException, ValueError),
    ):
        connection.request("GET", STATE_PATH)
        state = json.loads(connection.getresponse().read())
        if isinstance(state, dict) and {"format", "endpoints"} <= state.keys():
            return Listener.OURS
    return Listener.OTHER
