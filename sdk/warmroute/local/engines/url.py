"""Engines that run already: OpenAI-compatible servers, wherever they are."""

from __future__ import annotations

from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from warmroute.errors import LocalEndpointError
from warmroute.local.engines.forwarding import ANSWER_SECONDS, ForwardingEngine, http_client, read_if_weighed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.local.engines.container import ContainerRequest

_PROBE_SECONDS = 5.0


class UrlEngines:
    """Servers by their addresses: the first instance of every fleet has the first, the next the second, and so on.

    Args:
        urls: Base addresses, as `base_url` has them.

    Raises:
        LocalEndpointError: One does not answer, or not as an HTTP server does.
        MissingExtraError: aiohttp is not installed.
    """

    answer_seconds = ANSWER_SECONDS

    def __init__(self, urls: Sequence[str]) -> None:
        self.most = len(urls)
        self._client = http_client()
        self._servers = [(url, _has_invocations(url)) for url in urls]

    def start(self, id: str, number: int, environment: Mapping[str, str]) -> ForwardingEngine:  # noqa: A002, ARG002
        """The server of that number."""
        url, has_invocations = self._servers[number]
        return ForwardingEngine(url, self._client, has_invocations=has_invocations)

    async def read(self, request: ContainerRequest, *, weighs_caches: bool) -> ContainerRequest:
        """A request, with its prompt where routing weighs caches."""
        return await read_if_weighed(request, weighs_caches=weighs_caches)

    async def close(self) -> None:
        """Close the connections; the servers go on."""
        await self._client.close()


def base_url(url: str) -> str:
    """A server's address without a path, from that address or the one of its OpenAI-compatible API.

    Raises:
        LocalEndpointError: It is no address of a server.
    """
    refusal = LocalEndpointError(f"Engine {url} is no address of a server.", "Give one like http://127.0.0.1:8000.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise refusal from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or parts.query or parts.fragment:
        raise refusal
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc}{path}"


def _has_invocations(url: str) -> bool:
    """Whether a server is like SageMaker's containers; others have the OpenAI-compatible API alone."""
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"{url}/ping", timeout=_PROBE_SECONDS):
            return True
    except HTTPError as answer:
        answer.close()
        return False
    except HTTPException:
        raise LocalEndpointError(f"Engine {url} does not speak HTTP.", "Name the port of its HTTP server.") from None
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise LocalEndpointError(f"Engine {url} does not answer: {reason}.", "Start it first.") from None
