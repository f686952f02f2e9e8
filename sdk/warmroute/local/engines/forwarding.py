"""Requests forwarded to an OpenAI-compatible server over HTTP, streamed through as it answers."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from warmroute.errors import MissingExtraError
from warmroute.local.engines.completion import read_chat_completion, read_completion
from warmroute.local.engines.container import (
    CHAT_COMPLETIONS,
    INVOCATIONS,
    ContainerRefusal,
    ContainerRequest,
    EngineCounts,
    StreamBrokenError,
)
from warmroute.local.engines.prompts import prompt_of
from warmroute.local.engines.sent_prompts import SentPrompts
from warmroute.local.engines.vllm_counts import vllm_counts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import ClientResponse, ClientSession

    from warmroute.fleet import Prompt

ANSWER_SECONDS = 60.0
"""How long SageMaker waits for a container. Source: documentation of botocore sagemaker-runtime ``InvokeEndpoint``."""

ADAPTER_HEADER = "x-amzn-sagemaker-adapter-identifier"
"""Names the LoRA adapter that a request is for. Source: AWS's ``model-hosting-container-standards``."""

_COUNTS_SECONDS = 1.0
"""How long a server may take to tell its metrics, and how long they are taken for its latest."""

_CUSTOM_ATTRIBUTES = "x-amzn-sagemaker-custom-attributes"

_IDLE_SECONDS = 4.0
"""How long an unused connection is kept: less than the 5 seconds after which vLLM's server closes it."""


class HttpClient:
    """The connections to all servers of this process."""

    def __init__(self) -> None:
        self._session: ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> ClientResponse:
        """Send a request; the answer's status and headers are there, its body comes.

        Args:
            url: Where to.
            body: What.
            headers: Its headers.

        Raises:
            ContainerRefusal: There is no answer.
        """
        import aiohttp

        try:
            return await self._open().post(url, data=body, headers=headers, allow_redirects=False)
        except (aiohttp.ClientError, OSError) as error:
            raise ContainerRefusal(0, f"The container does not answer: {_reason(error)}.") from None

    async def read(self, url: str, seconds: float) -> bytes:
        """What a server has at an address; nothing where it does not answer in time.

        Args:
            url: Where.
            seconds: How long it may take.
        """
        import aiohttp

        try:
            async with self._open().get(url, timeout=aiohttp.ClientTimeout(total=seconds)) as answer:
                return await answer.read() if answer.status == 200 else b""
        except (aiohttp.ClientError, OSError):
            return b""

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> ClientSession:
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None),  # Who asks knows how long it may take.
                auto_decompress=False,
                skip_auto_headers=("Accept-Encoding", "User-Agent"),
            )
        return self._session


def http_client() -> HttpClient:
    """A client without a connection yet.

    Raises:
        MissingExtraError: aiohttp is not installed.
    """
    try:
        import aiohttp  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError("An engine behind HTTP", "local") from error
    return HttpClient()


async def read_if_weighed(request: ContainerRequest, *, weighs_caches: bool) -> ContainerRequest:
    """A request, with its prompt where routing weighs caches.

    What this program cannot read, the server may refuse or not: it is sent on, as a prompt that no cache holds.

    Args:
        request: The request.
        weighs_caches: Whether routing asks for ``cached_tokens``.
    """
    if not weighs_caches:
        return request
    read = read_chat_completion if request.path == CHAT_COMPLETIONS else read_completion
    try:
        return replace(request, prompt=await prompt_of(read(request.body), request.adapter))
    except ContainerRefusal:
        return request


class ForwardingEngine:
    """A server that requests are forwarded to.

    Args:
        url: Its base address, without a path.
        client: The connections.
        has_invocations: Whether it has ``/invocations``, as SageMaker's containers do.
    """

    in_service: ClassVar[bool] = True

    def __init__(self, url: str, client: HttpClient, *, has_invocations: bool = True) -> None:
        self.url = url
        self.active = 0
        """Requests that it has not answered to the end."""
        self.sent = SentPrompts()
        self._client = client
        self._has_invocations = has_invocations
        self._counts = EngineCounts()
        self._counts_due = 0.0

    async def counts(self) -> EngineCounts:
        """What vLLM's own metrics and its version say; nothing where the server has none."""
        if time.monotonic() >= self._counts_due:
            self._counts_due = time.monotonic() + _COUNTS_SECONDS
            pages = (self._client.read(f"{self.url}/{page}", _COUNTS_SECONDS) for page in ("metrics", "version"))
            self._counts = vllm_counts(*await asyncio.gather(*pages))
        return self._counts

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens of a prompt that were sent to it before, which it may have forgotten."""
        return self.sent.cached_tokens(prompt)

    async def answer(self, request: ContainerRequest) -> ForwardedAnswer:
        """Forward a request.

        Raises:
            ContainerRefusal: The server answers with an error, or not at all.
        """
        if request.prompt is not None:
            self.sent.add(request.prompt)
        headers = {name: value for name, value in request.headers.items() if name != ADAPTER_HEADER}
        if request.adapter:
            headers[ADAPTER_HEADER] = request.adapter.partition("/")[0]
        self.active += 1
        try:
            response = await self._client.post(self.url + self._path(request), request.body, headers)
            await _refuse_errors(response)
        except BaseException:
            self.active -= 1
            raise
        return ForwardedAnswer(response, self)

    def release(self) -> None:
        """It was not started here, and goes on."""

    def _path(self, request: ContainerRequest) -> str:
        if self._has_invocations or request.path != INVOCATIONS:
            return request.path
        # How vLLM's /invocations itself tells them apart.
        return CHAT_COMPLETIONS if b'"messages"' in request.body else "/v1/completions"


class ForwardedAnswer:
    """A server's answer, on its way.

    Args:
        response: Its status and headers are there.
        engine: Where it comes from.
    """

    def __init__(self, response: ClientResponse, engine: ForwardingEngine) -> None:
        self.content_type = response.headers.get("Content-Type", "application/octet-stream")
        attributes = response.headers.get(_CUSTOM_ATTRIBUTES)
        self.headers = {} if attributes is None else {_CUSTOM_ATTRIBUTES: attributes}
        self._response = response
        self._engine = engine
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body as it comes.

        Raises:
            StreamBrokenError: The connection ended before the answer did.
        """
        import aiohttp

        try:
            async for part in self._response.content.iter_any():
                yield part
        except (aiohttp.ClientError, OSError) as error:
            raise StreamBrokenError(f"The container broke its answer off: {_reason(error)}.") from None

    async def close(self) -> None:
        """Close the connection, unless the answer is whole, so that the server gives the request up."""
        if not self._closed:
            self._closed = True
            self._engine.active -= 1
            self._response.close()


async def _refuse_errors(response: ClientResponse) -> None:
    import aiohttp

    if response.status < 400:
        return
    try:
        message = (await response.read()).decode("utf-8", "replace")
    except (aiohttp.ClientError, OSError) as error:
        message = f"The container broke its answer off: {_reason(error)}."
    finally:
        response.close()
    raise ContainerRefusal(response.status, message)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".")
