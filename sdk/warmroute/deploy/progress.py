"""What a deployment tells its caller while it runs: one typed event for each step and each look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

Action = Literal["created", "updated", "unchanged", "deleted", "waiting", "ready"]
"""What happened to a resource: the first four once each; then waiting as often as it is looked at, and ready."""


@dataclass(frozen=True, slots=True)
class VariantProgress:
    """One variant while the endpoint is waited for."""

    name: str
    ready_instances: int
    """Instances that serve."""

    wanted_instances: int
    """Instances that shall serve."""

    weight: float
    """Its weight in the traffic now."""

    new_ready_instances: int | None = None
    """Instances of the new fleet that are ready; None where no second fleet is on its way."""

    new_wanted_instances: int | None = None
    """Instances that the new fleet shall have; None where no second fleet is on its way."""

    stage: str = ""
    """What SageMaker does to it: ``Creating``, ``ActivatingTraffic`` while traffic moves, ``Baking`` while alarms are
    watched, ``Deleting``. Source: botocore ``VariantStatus``."""


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

    variants: tuple[VariantProgress, ...] = ()
    """Each variant, while the endpoint is waited for."""

    waited_seconds: float = 0.0
    """How long it has been waited for."""


def noting_deletions(on_progress: Callable[[Progress], None], removed: list[str]) -> Callable[[Progress], None]:
    """The same listener, which also notes what is deleted.

    Args:
        on_progress: Told of every step.
        removed: Gets the name of each resource that is deleted.
    """

    def told(step: Progress) -> None:
        if step.action == "deleted":
            removed.append(step.name)
        on_progress(step)

    return told
