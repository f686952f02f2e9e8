"""The routing strategies of SageMaker; apart from their settings, so that a command's help need not load pydantic."""

from __future__ import annotations

from enum import StrEnum


class RoutingStrategy(StrEnum):
    """How a variant spreads requests over its instances. Source: botocore ``RoutingStrategy``."""

    RANDOM = "RANDOM"
    """Any instance, at random; what SageMaker does when nothing is configured."""

    LEAST_OUTSTANDING_REQUESTS = "LEAST_OUTSTANDING_REQUESTS"
    """The instance with the fewest requests in flight."""

    PREFIX_AWARE = "PREFIX_AWARE"
    """The instance that serves requests of the same beginning, unless it is busy."""

    KV_AWARE = "KV_AWARE"
    """The instance whose KV cache already holds the start of the prompt, weighed against how busy it is."""
