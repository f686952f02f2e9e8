"""A fleet to simulate: its instances, how requests are spread over them, and what happens to them meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.fleet.profile import EngineProfile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from warmroute.fleet.strategies import Strategy
    from warmroute.routing import RoutingConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class AddInstances:
    """New instances start, with empty caches."""

    at_seconds: float
    count: int = 1
    warm_up_seconds: float = 0.0
    """Until they are in service: starting the instance, loading the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveInstances:
    """The newest instances get no more requests, and go once they have answered those that they have."""

    at_seconds: float
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseInstance:
    """An instance is gone, with the requests that it had; their clients try again."""

    at_seconds: float
    instance: int = 0
    """Which one, counted from 0 in order of their start."""

    unnoticed_seconds: float = 0.0
    """How long it is still sent requests, which fail."""


Change = AddInstances | RemoveInstances | LoseInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetConfig:
    """A fleet to simulate.

    Raises:
        WarmrouteError: A count below its minimum, or changes to a fleet that is split in prefill and decoding.
    """

    instances: int
    """Instances in service from the beginning, their caches empty."""

    routing: RoutingConfig | None = None
    """The variant's routing; None means RANDOM, as SageMaker has it. The prefix length is in the requests' keys."""

    strategy: Callable[[int], Strategy] | None = None
    """Makes the strategy of one front end from a seed, in place of the one of ``routing``."""

    profile: EngineProfile = field(default_factory=EngineProfile)
    """What every engine is like."""

    copies_per_instance: int = 1
    """Copies of the inference component on each instance, each with an engine of its own. Requests are routed to
    copies, and thresholds count for each copy."""

    front_ends: int = 1
    """Assumption: routers that each count only the requests that went through them."""

    adapters: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Instances that can serve an adapter, for those adapters that not every instance serves."""

    changes: tuple[Change, ...] = ()
    retry_seconds: float = 1.0
    """From the loss of a request, or the lack of an instance, to its client's next try."""

    decode_instances: int = 0
    """Above 0, ``instances`` compute prompts alone and hand them over to as many that decode."""

    def __post_init__(self) -> None:
        least = {"instances": 1, "copies_per_instance": 1, "front_ends": 1, "decode_instances": 0, "retry_seconds": 0}
        for name, minimum in least.items():
            if getattr(self, name) < minimum:
                raise WarmrouteError(f"{name} is {getattr(self, name)}.", f"Use {minimum} or more.")
        if self.decode_instances and self.changes:
            raise WarmrouteError(
                "A fleet that is split in prefill and decoding cannot change.", "Leave out changes or decode_instances."
            )
