"""The instances of every endpoint at one moment, with what their engines have counted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from warmroute.local.engines import EngineCounts, EngineStartError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.local.data import Fleets, Instance, ServedEndpoint, VariantFleet


class InstanceStatus(StrEnum):
    """What becomes of an instance."""

    STARTING = "Starting"
    IN_SERVICE = "InService"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class SeenInstance:
    """One instance, or component copy."""

    instance: Instance
    status: InstanceStatus
    counts: EngineCounts


@dataclass(frozen=True, slots=True)
class SeenFleet:
    """The instances of a variant, or the copies of a component."""

    endpoint: ServedEndpoint
    fleet: VariantFleet
    instances: tuple[SeenInstance, ...]


async def overview(fleets: Fleets) -> list[tuple[ServedEndpoint, list[SeenFleet]]]:
    """Every endpoint that there is, and its fleets.

    Args:
        fleets: Those of the data plane.
    """
    return [(endpoint, [await _fleet(endpoint, each) for each in endpoint.fleets]) for endpoint in fleets.endpoints()]


async def _fleet(endpoint: ServedEndpoint, fleet: VariantFleet) -> SeenFleet:
    instances = list(fleet.instances)
    counts = await asyncio.gather(*(instance.engine.counts() for instance in instances))
    return SeenFleet(endpoint, fleet, tuple(map(_instance, instances, counts)))


def _instance(instance: Instance, counts: EngineCounts) -> SeenInstance:
    try:
        status = InstanceStatus.IN_SERVICE if instance.engine.in_service else InstanceStatus.STARTING
    except EngineStartError:
        status = InstanceStatus.FAILED
    return SeenInstance(instance, status, counts)


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of what is told; None where nothing is."""
    told = [count for count in counts if count is not None]
    return sum(told) if told else None
