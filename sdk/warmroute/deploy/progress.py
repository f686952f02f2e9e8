"""What a deployment tells its caller while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["created", "updated", "unchanged", "waiting", "ready"]
"""What happened to a resource: the first three once each, then waiting as often as it is asked after, then ready."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a deployment."""

    action: Action
    kind: str
    """Kind of resource: ``model``, ``endpoint configuration``, ``endpoint``, ``inference component``, ``scaling``."""

    name: str
    """Name of the resource."""

    status: str = ""
    """SageMaker's status while waiting, for example ``Updating``."""

    ready_instances: int = 0
    """Instances that serve, over all variants, while the endpoint is waited for."""

    wanted_instances: int = 0
    """Instances that are wanted, over all variants, while the endpoint is waited for."""
