"""What a process does to an account, and whether it is done: apply, roll back, destroy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from deploy.faults.neighbours import ENDPOINT, is_neighbour
from deploy.faults.world import REGION

from warmroute.deploy import Action, DeployedEndpoint, Deployment

if TYPE_CHECKING:
    from deploy.faults.world import World

    from warmroute.hosting import EndpointSpec

_POLL_SECONDS = 1.0


class Job(Protocol):
    """One command."""

    def prepare(self, world: World) -> None:
        """Look at the account before anything goes wrong."""

    def run(self, world: World) -> None:
        """Do it, as one process."""

    def unmet(self, world: World) -> str:
        """What is not as it should be; empty when the job is done."""


@dataclass(frozen=True)
class Apply:
    """``warmroute apply``."""

    spec: EndpointSpec

    def prepare(self, world: World) -> None:
        """Nothing to look at."""

    def run(self, world: World) -> None:
        Deployment(self.spec, world.session, poll_seconds=_POLL_SECONDS).apply()

    def unmet(self, world: World) -> str:
        plan = Deployment(self.spec, world.session, poll_seconds=_POLL_SECONDS).plan()
        if not plan.is_empty:
            return f"the plan is not empty: {[each for each in plan.changes if each.action is not Action.NOTHING]}"
        endpoint = world.registry.endpoints.get(ENDPOINT)
        if endpoint is None or endpoint.status != "InService" or endpoint.live is None:
            return "the endpoint is not in service"
        if {each.name for each in endpoint.live.variants} != {each.name for each in self.spec.variants}:
            return "the endpoint has other variants"
        components = {each.name for each in world.registry.components.values() if each.endpoint is endpoint}
        if components != {each.name for each in self.spec.inference_components or ()}:
            return f"the endpoint has the components {components}"
        return ""


@dataclass
class RollBack:
    """``warmroute rollback``."""

    config: str = field(default="", init=False)
    """The configuration that serves when it is done."""

    def prepare(self, world: World) -> None:
        configs = DeployedEndpoint(ENDPOINT, world.session, region=REGION).status().configurations
        running = world.registry.endpoints[ENDPOINT].config.name
        self.config = next(each.name for each in configs if each.served and each.name != running)

    def run(self, world: World) -> None:
        DeployedEndpoint(ENDPOINT, world.session, region=REGION, poll_seconds=_POLL_SECONDS).rollback()

    def unmet(self, world: World) -> str:
        endpoint = world.registry.endpoints[ENDPOINT]
        is_there = endpoint.status == "InService" and endpoint.config.name == self.config
        return "" if is_there else f"{endpoint.config.name} is {endpoint.status}, and not {self.config}"


@dataclass(frozen=True)
class Destroy:
    """``warmroute destroy``."""

    def prepare(self, world: World) -> None:
        """Nothing to look at."""

    def run(self, world: World) -> None:
        DeployedEndpoint(ENDPOINT, world.session, region=REGION, poll_seconds=_POLL_SECONDS).destroy()

    def unmet(self, world: World) -> str:
        registry = world.registry
        kinds = (registry.endpoints, registry.components, registry.endpoint_configs, registry.models)
        left = [name for kind in kinds for name in kind if not is_neighbour(name)]
        targets = world.session.client("application-autoscaling").describe_scalable_targets(
            ServiceNamespace="sagemaker"
        )["ScalableTargets"]
        left += [each["ResourceId"] for each in targets]
        return f"left behind: {left}" if left else ""
