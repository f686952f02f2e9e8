"""What the data plane asks of a container, whatever runs in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from warmroute.fleet import Prompt
    from warmroute.local.engines.completion import Completion

INVOCATIONS = "/invocations"
"""Path of InvokeEndpoint's requests in a container."""

CHAT_COMPLETIONS = "/v1/chat/completions"
"""Path of the OpenAI-compatible API's requests in a container."""


class ContainerRefusal(Exception):  # noqa: N818 - an answer, not a fault of this program.
    """The container answers with an error.

    Args:
        status: HTTP status of its answer; 0 where none came.
        message: Body of its answer, or why none came.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class StreamBrokenError(Exception):
    """The container's connection ended in the middle of its answer."""


class EngineStartError(Exception):
    """An engine cannot be started; its instance will never serve."""


@dataclass(frozen=True, slots=True)
class ContainerRequest:
    """A request as it reaches a container."""

    path: str
    """``/invocations`` or ``/v1/chat/completions``."""

    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    """What SageMaker passes on."""

    adapter: str = ""
    """The LoRA adapter that it asks for, told apart from earlier ones of its name; empty for none."""

    completion: Completion | None = field(default=None, repr=False)
    """What the body says, where the engine needs to know."""

    prompt: Prompt | None = field(default=None, repr=False)
    """Its prompt as prefix caches see it, where the engine or the routing needs to know."""


class ContainerAnswer(Protocol):
    """A container's answer, on its way."""

    @property
    def content_type(self) -> str:
        """Its Content-Type."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Further headers that SageMaker passes on to the client."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The body, part by part as it comes.

        Raises:
            StreamBrokenError: The connection ended before the answer did.
        """

    async def close(self) -> None:
        """Give the rest up; does nothing once the answer has ended."""


@dataclass(frozen=True, slots=True)
class EngineCounts:
    """What an engine itself counted since it started, whoever sent it requests; None for what it does not tell."""

    queried_tokens: int | None = None
    """Prompt tokens that were looked for in its KV cache. vLLM: ``vllm:prefix_cache_queries_total``."""

    hit_tokens: int | None = None
    """Those of them that were found. vLLM: ``vllm:prefix_cache_hits_total``."""

    waiting: int | None = None
    """Requests that wait in it for a place now. vLLM: ``vllm:num_requests_waiting``."""

    kv_cache_usage: float | None = None
    """Share of its KV cache in use now, between 0 and 1. vLLM: ``vllm:kv_cache_usage_perc``."""

    software: str | None = None
    """What computes its answers, and of which version: ``vLLM 0.30.0``, by vLLM's ``/version``."""


class Engine(Protocol):
    """What runs on one instance, or in one component copy."""

    @property
    def in_service(self) -> bool:
        """Whether it can be sent requests now.

        Raises:
            EngineStartError: It never will.
        """

    def cached_tokens(self, prompt: Prompt) -> int:
        """Tokens of a prompt that its KV cache holds now, as far as is known."""

    async def answer(self, request: ContainerRequest) -> ContainerAnswer:
        """Begin to serve a request.

        Raises:
            ContainerRefusal: It answers with an error.
        """

    async def counts(self) -> EngineCounts:
        """What it has counted; asked when somebody looks, never for a request."""

    def release(self) -> None:
        """Its instance is gone: it ends once it has answered what it was sent."""


class Engines(Protocol):
    """Where the engines of instances come from."""

    @property
    def most(self) -> int | None:
        """Instances that one fleet can have; None for as many as it wants."""

    @property
    def answer_seconds(self) -> float | None:
        """How long an engine may take to answer; None where its clock is not the real one."""

    def start(self, id: str, number: int, environment: Mapping[str, str]) -> Engine:  # noqa: A002
        """Begin to start the engine of an instance.

        Args:
            id: Name of the instance.
            number: Its number in its fleet, from 0.
            environment: Variables of its container.

        Raises:
            EngineStartError: It never will serve.
        """

    async def read(self, request: ContainerRequest, *, weighs_caches: bool) -> ContainerRequest:
        """A request with what has to be known of it before an instance is chosen.

        Args:
            request: The request.
            weighs_caches: Whether routing asks for ``cached_tokens``.

        Raises:
            ContainerRefusal: Every one of these engines would refuse it.
        """

    async def close(self) -> None:
        """End every engine that was started here."""
