"""What an apply would change, resource by resource, and what that means for the traffic."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warmroute.errors import DeploymentError, Severity

if TYPE_CHECKING:
    from warmroute.deploy.prices import HourlyCost
    from warmroute.errors import Finding


class Action(StrEnum):
    """What happens to a resource."""

    CREATE = "create"
    UPDATE = "update"
    """Changed in place."""

    REPLACE = "replace"
    """Another one takes its place: beside it where names allow, else after it is gone."""

    DELETE = "delete"
    NOTHING = "nothing"


class Kind(StrEnum):
    """What a resource is."""

    MODEL = "model"
    ENDPOINT_CONFIG = "endpoint configuration"
    ENDPOINT = "endpoint"
    COMPONENT = "inference component"
    SCALABLE_TARGET = "scalable target"
    SCALING_POLICY = "scaling policy"


class Rollout(StrEnum):
    """How the instances of the endpoint get to what the spec asks for."""

    NONE = "none"
    """They stay as they are."""

    CREATE = "create"
    """A new endpoint starts its instances."""

    IN_PLACE = "in place"
    """Counts or weights change on the fleet that serves; instances that stay keep their caches."""

    BLUE_GREEN = "blue/green"
    """A second fleet starts beside the first and takes over its traffic, with cold caches."""

    ROLLING = "rolling"
    """Batches of the fleet are replaced, each with cold caches."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One value that differs."""

    path: str
    """Where, as a path of the spec's field names: ``variants.main.routing_config.routing_strategy``."""

    old: Any
    """Plain value before; None where there was none."""

    new: Any
    """Plain value after; None where there is none any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one resource, and why."""

    action: Action
    kind: Kind
    name: str
    """Name of the resource after the change."""

    fields: tuple[FieldChange, ...] = ()
    """Values that differ; none for what is created or deleted."""

    note: str = ""
    """What it means, in a sentence, where the action alone does not say it."""

    replaces: str = ""
    """Name of what it takes the place of, where that is another one."""


@dataclass(frozen=True, slots=True)
class InstanceCount:
    """How many instances of a type the endpoint has, over all variants."""

    instance_type: str
    now: int
    """Instances that run now."""

    peak: int
    """Most instances at a time during the change, with those of a second fleet."""

    after: int
    """Instances that run after the change."""

    most: int
    """Instances when everything has scaled out as far as its limits let it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an apply would do to one endpoint."""

    endpoint: str
    """Name of the endpoint."""

    region: str
    """AWS region of the endpoint."""

    changes: tuple[Change, ...]
    """Every resource of the spec and every one that leaves, in the order in which they change."""

    rollout: Rollout
    """How instances get to what is asked for."""

    traffic: tuple[str, ...]
    """What it means for the traffic, a sentence each; empty where nothing changes for it."""

    instances: tuple[InstanceCount, ...]
    """Instances by type: now, at the peak of the change, and after."""

    findings: tuple[Finding, ...] = ()
    """What is known to be wrong before anything is changed; an error stops an apply."""

    cost: HourlyCost | None = None
    """What the instances cost an hour; None where prices were not asked for."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return all(change.action is Action.NOTHING for change in self.changes)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop an apply."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)

    def refuse_errors(self) -> None:
        """Raise what stops an apply.

        Raises:
            DeploymentError: With the first error, and the others below it.
        """
        if self.errors:
            first, *others = self.errors
            further = "".join(f"\n{finding}" for finding in others)
            raise DeploymentError(first.message, f"{first.remedy}{further}")

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON output."""
        return {**asdict(self), "is_empty": self.is_empty}
