"""How SageMaker chooses the instance that serves a request, and the limits of those settings."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.routing_strategy import RoutingStrategy
from warmroute.rules import Problem, problem, rule
from warmroute.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_PREFIX_LENGTH, MAX_PREFIX_LENGTH = 1_024, 65_536
MIN_CONCURRENCY_THRESHOLD, MAX_CONCURRENCY_THRESHOLD = 1, 1_024
MAX_PREFIX_AWARE_ID_LENGTH = 64


class PrefixAwareRoutingConfig(Settings):
    """When requests count as alike, and when an instance has enough of them.

    Source: botocore ``PrefixAwareRoutingConfig`` (sagemaker, 1.43.68 and later).
    """

    prefix_length: int = Field(ge=MIN_PREFIX_LENGTH, le=MAX_PREFIX_LENGTH)
    """Longest beginning compared: bytes of the body (InvokeEndpoint) or characters of message text (OpenAI API)."""

    concurrency_threshold: int = Field(ge=MIN_CONCURRENCY_THRESHOLD, le=MAX_CONCURRENCY_THRESHOLD)
    """Requests in flight on the chosen instance, or component copy, at which the next one goes elsewhere."""


class RoutingConfig(Settings):
    """The routing of one production variant.

    Source: botocore ``ProductionVariantRoutingConfig``.
    """

    routing_strategy: Annotated[RoutingStrategy, Field(strict=False)]
    """How requests are spread over the instances of the variant."""

    prefix_aware_routing_config: PrefixAwareRoutingConfig | None = None
    """Settings of PREFIX_AWARE, and of no other strategy."""

    @classmethod
    def random(cls) -> Self:
        """Any instance, at random."""
        return cls(routing_strategy=RoutingStrategy.RANDOM)

    @classmethod
    def least_outstanding_requests(cls) -> Self:
        """The instance with the fewest requests in flight."""
        return cls(routing_strategy=RoutingStrategy.LEAST_OUTSTANDING_REQUESTS)

    @classmethod
    def prefix_aware(cls, *, prefix_length: int, concurrency_threshold: int) -> Self:
        """The instance that serves requests of the same beginning.

        Args:
            prefix_length: Longest beginning compared, 1,024 to 65,536 bytes of the body (InvokeEndpoint) or
                characters of message text (OpenAI-compatible API).
            concurrency_threshold: Requests in flight on one instance, or component copy, at which the next one
                goes elsewhere, 1 to 1,024.

        Raises:
            InvalidSettingsError: A value is out of range or not a whole number.
        """
        return cls(
            routing_strategy=RoutingStrategy.PREFIX_AWARE,
            prefix_aware_routing_config=PrefixAwareRoutingConfig(
                prefix_length=prefix_length, concurrency_threshold=concurrency_threshold
            ),
        )

    @classmethod
    def kv_aware(cls) -> Self:
        """The instance whose KV cache holds the longest beginning of the prompt."""
        return cls(routing_strategy=RoutingStrategy.KV_AWARE)


@rule(
    "WR101",
    Severity.ERROR,
    on=RoutingConfig,
    source="botocore ProductionVariantRoutingConfig: required when PREFIX_AWARE",
)
def prefix_aware_needs_its_settings(routing: RoutingConfig) -> Iterator[Problem]:
    """PREFIX_AWARE without a length and a threshold passes boto3 and is refused by the service."""
    if routing.routing_strategy is RoutingStrategy.PREFIX_AWARE and routing.prefix_aware_routing_config is None:
        yield problem(
            "prefix_aware_routing_config",
            "PREFIX_AWARE needs prefix_length and concurrency_threshold.",
            "Give both: prefix_length 1,024 to 65,536, concurrency_threshold 1 to 1,024. "
            "A tool older than boto3 1.43.68 leaves them out of what it describes.",
        )


@rule(
    "WR102", Severity.ERROR, on=RoutingConfig, source="botocore ProductionVariantRoutingConfig: only when PREFIX_AWARE"
)
def only_prefix_aware_has_settings(routing: RoutingConfig) -> Iterator[Problem]:
    """The length and the threshold belong to PREFIX_AWARE; another strategy would ignore or refuse them."""
    if routing.routing_strategy is not RoutingStrategy.PREFIX_AWARE and routing.prefix_aware_routing_config:
        yield problem(
            "prefix_aware_routing_config",
            f"{routing.routing_strategy} takes no such settings.",
            "Leave them out, or choose PREFIX_AWARE.",
        )


class PrefixAwareId(str):
    r"""A hint that keeps tenants or applications with equal prompt beginnings apart.

    It routes; it does not isolate. Requests of different ids may share an instance and its KV cache; only
    vLLM's ``cache_salt`` separates cache entries.

    Source: botocore ``PrefixAwareIdHeader`` (1 to 64 characters, ``\A\S[\p{Print}]*\z``). A trailing space is
    legal there, but HTTP strips it, so it is refused here.

    Args:
        value: 1 to 64 printable ASCII characters, neither the first nor the last a space.

    Raises:
        InvalidSettingsError: Too long, empty, or a character outside printable ASCII.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        """Validate the id; it is a ``str`` that boto3 takes as it is."""
        fault = _id_fault(value)
        if fault:
            remedy = "Use 1 to 64 printable ASCII characters, or PrefixAwareId.derive(tenant, key=…)."
            raise InvalidSettingsError([Finding("WR006", Severity.ERROR, "prefix_aware_id", fault, remedy, _ID_SOURCE)])
        return super().__new__(cls, value)

    @classmethod
    def derive(cls, tenant: str, *, key: bytes | str) -> Self:
        """An opaque id of a tenant, so that its name never travels.

        Args:
            tenant: Any text that names the tenant or the application.
            key: Secret of at least 16 bytes; the same key gives the same id everywhere.

        Returns:
            32 hexadecimal digits: HMAC-SHA-256 of the tenant, cut to 128 bits.

        Raises:
            InvalidSettingsError: The tenant is empty or the key is too short.
        """
        if not isinstance(tenant, str):
            raise _bad("tenant", f"The tenant is of type {type(tenant).__name__}, not text.", "Name it as text.")
        if not isinstance(key, (str, bytes)):
            raise _bad(
                "key", f"The key is of type {type(key).__name__}, not bytes or text.", "Use 16 random bytes or more."
            )
        secret = key.encode(errors="surrogatepass") if isinstance(key, str) else key
        if not tenant:
            raise _bad("tenant", "The tenant is empty.", "Name the tenant that the id stands for.")
        if len(secret) < 16:
            raise _bad("key", f"The key has {len(secret)} bytes.", "Use a secret of at least 16 random bytes.")
        message = b"warmroute/prefix-aware-id/1\0" + tenant.encode(errors="surrogatepass")
        return cls(hmac.new(secret, message, hashlib.sha256).hexdigest()[:32])


_ID_SOURCE = "botocore sagemaker-runtime PrefixAwareIdHeader"
_ID_PATTERN = re.compile(r"\A[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?\Z")


def _id_fault(value: object) -> str:
    """What is wrong with an id; the value itself stays out of the message, since it may name a tenant."""
    if not isinstance(value, str):
        return f"The id is of type {type(value).__name__}, not text."
    if not value:
        return "The id is empty."
    if len(value) > MAX_PREFIX_AWARE_ID_LENGTH:
        return f"The id has {len(value)} characters, more than {MAX_PREFIX_AWARE_ID_LENGTH}."
    if value[0] == " " or value[-1] == " ":
        return "The id begins or ends with a space."
    if not _ID_PATTERN.match(value):
        return "The id has a character outside printable ASCII."
    return ""


def _bad(path: str, message: str, remedy: str) -> InvalidSettingsError:
    return InvalidSettingsError([Finding("WR006", Severity.ERROR, path, message, remedy, _ID_SOURCE)])
