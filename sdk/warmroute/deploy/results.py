"""What a deployment did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Result = Literal["created", "updated", "unchanged"]
"""What a deployment did to one resource."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deployment did."""

    endpoint: str
    """Name of the endpoint."""

    result: Result
    """What happened to the endpoint."""

    endpoint_config: str
    """Name of the configuration that the endpoint runs."""

    region: str
    """Region of the endpoint."""

    components: Mapping[str, Result] = field(default_factory=dict)
    """What happened to each inference component, by its name."""

    left_out: tuple[str, ...] = ()
    """Components, scaling and removals that were not looked at, since they need a serving endpoint."""

    left_over: tuple[str, ...] = ()
    """Components that run on the endpoint, and that neither the spec nor warmroute has made; they are left alone."""

    removed: tuple[str, ...] = ()
    """Components, scalable targets, configurations and models that were deleted."""
