"""Everything that the control plane knows of one account in one region."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from warmroute.local.control.agenda import Agenda
from warmroute.local.control.clock import Clock, Durations
from warmroute.local.control.readiness import Readiness
from warmroute.local.control.refusals import already_exists, not_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.local.control.components import InferenceComponent
    from warmroute.local.control.endpoint_configs import EndpointConfig
    from warmroute.local.control.endpoints import Endpoint
    from warmroute.local.control.models import Model
    from warmroute.local.control.snapshot import EndpointState

    Request = Mapping[str, Any]
    """The input of an API call, under AWS's names."""

    Response = dict[str, Any]
    """The output of an API call, under AWS's names."""


@dataclass(eq=False)
class Resource:
    """What models, endpoint configurations, endpoints and components have in common."""

    kind: ClassVar[str]
    """What error messages call it."""

    arn_kind: ClassVar[str]
    """What its ARN calls it."""

    any_case: ClassVar[bool] = False
    """Whether names that differ only in case are the same name."""

    name: str
    arn: str
    creation_time: float
    """Seconds of the clock."""

    tags: list[dict[str, str]]

    @property
    def physical_resource_id(self) -> str:
        """What CloudFormation calls it."""
        return self.arn

    def is_created(self) -> bool:
        """Whether CloudFormation may go on to what depends on it: the name and the ARN are known at once."""
        return True

    def get_cfn_attribute(self, attribute: str) -> str:
        """What CloudFormation's Fn::GetAtt gives: the name or the ARN."""
        return self.arn if attribute.endswith("Arn") else self.name


AnyResource = TypeVar("AnyResource", bound=Resource)


@dataclass
class Timing:
    """What decides, in registries that are yet to be made, when changes take effect."""

    clock: Clock = field(default_factory=Clock)
    durations: Durations = field(default_factory=Durations)
    readiness: Readiness = field(default_factory=Readiness)


TIMING = Timing()

_SERIALS = itertools.count(1)
"""Of the whole process, so that what a reset of moto makes anew is not mistaken for what it forgot."""


def next_serial() -> int:
    """A number that nothing in this process has had: it tells apart what successively bears one name."""
    return next(_SERIALS)


@dataclass(eq=False)
class Registry:
    """The resources of one account in one region, and what is about to happen to them.

    Every use of the resources holds ``lock`` and has called ``settle`` first.
    """

    account: str
    region: str
    partition: str
    models: dict[str, Model]
    endpoint_configs: dict[str, EndpointConfig]
    endpoints: dict[str, Endpoint]
    components: dict[str, InferenceComponent] = field(default_factory=dict)
    clock: Clock = field(default_factory=lambda: TIMING.clock)
    durations: Durations = field(default_factory=lambda: TIMING.durations)
    readiness: Readiness = field(default_factory=lambda: TIMING.readiness)
    agenda: Agenda = field(default_factory=Agenda)
    faults: dict[str, str] = field(default_factory=dict)
    """Why the next deployment of an endpoint will fail, by the endpoint's name."""

    snapshots: dict[str, EndpointState] = field(default_factory=dict)
    """What the data plane sees of each endpoint, until something changes."""

    lock: threading.RLock = field(default_factory=threading.RLock)

    def settle(self) -> None:
        """Let everything happen that is due."""
        if self.agenda.settle(self.clock.now()):
            self.snapshots.clear()

    def arn(self, kind: type[Resource], name: str) -> str:
        """The ARN of a resource, existing or not."""
        return f"arn:{self.partition}:sagemaker:{self.region}:{self.account}:{kind.arn_kind}/{name}"

    def new_arn(self, kind: type[AnyResource], name: str, existing: Mapping[str, AnyResource]) -> str:
        """The ARN of a resource that is about to be made.

        Raises:
            RefusedError: The name is taken.
        """
        for taken in existing.values():
            if taken.name == name or (kind.any_case and taken.name.lower() == name.lower()):
                raise already_exists(kind.kind, taken.arn)
        return self.arn(kind, name)

    def find(self, kind: type[AnyResource], name: str, existing: Mapping[str, AnyResource]) -> AnyResource:
        """The resource of a name.

        Raises:
            RefusedError: There is none.
        """
        found = existing.get(name)
        if found is None:
            raise not_found(kind.kind, self.arn(kind, name))
        return found
