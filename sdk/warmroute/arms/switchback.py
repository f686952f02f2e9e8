"""Arms that share one fleet, which is updated between runs: sequential updates."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.arms.control_plane import POLL_SECONDS, ControlPlane
from warmroute.arms.described import component_of, described, instances_of
from warmroute.arms.expecting import Simulable
from warmroute.arms.targets import target_of
from warmroute.deploy import Deployment
from warmroute.deploy.account.clean_up import DEFAULT_KEEP
from warmroute.measure.experiment import PolledServing, Served
from warmroute.tune.fleets import fleet_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from warmroute.arms.found import FoundEndpoint
    from warmroute.deploy import Progress
    from warmroute.hosting import EndpointSpec
    from warmroute.inference_api import Api


@dataclass(frozen=True, slots=True, kw_only=True)
class Updates:
    """How the one endpoint of several arms is updated."""

    found: FoundEndpoint
    """The endpoint as it was before."""

    keep: int = DEFAULT_KEEP
    """Configurations that are kept: that of each arm, and the one before them."""

    adopt: bool = False
    """Whether an endpoint that was not made by warmroute is taken over."""

    poll_seconds: float = 10.0
    """Longest time between two looks while the endpoint is waited for."""

    on_progress: Callable[[Progress], None] = lambda _: None
    """Told of every step of an update."""


class SwitchbackArm:
    """A spec that is applied before each of its runs; the other arms have specs of the same endpoint.

    Args:
        name: Of the arm.
        spec: What the endpoint shall be.
        session: The boto3 session.
        updates: How the endpoint is updated.
        api: By which API requests are sent.
        url: Root of the runtime API, instead of the session's.
    """

    is_fixed = True

    def __init__(
        self,
        name: str,
        spec: EndpointSpec,
        session: Any,
        updates: Updates,
        *,
        api: Api = "invoke",
        url: str | None = None,
    ) -> None:
        self.name = name
        self._spec, self._session, self._api, self._updates = spec, session, api, updates
        self._target = target_of(api, session, spec.name, component=component_of(spec), url=url)
        self._deployment = Deployment(spec, session, poll_seconds=updates.poll_seconds)
        self._control = ControlPlane(session, spec.name, component=component_of(spec))
        self.found = updates.found
        self.chat_only = self._target.chat_only
        self.machines = spec.name
        self.instances = instances_of(spec)

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another."""
        return {
            "kind": "switchback",
            **described(self._spec),
            "api": self._api,
            "instances": self.instances,
            "found_configuration": self.found.configuration,
        }

    def simulable(self) -> Simulable:
        """Its fleet.

        Raises:
            WarmrouteError: The spec has several variants.
        """
        found = fleet_of(self._spec)
        return Simulable(found.config, self._api, notes=found.notes)

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:  # noqa: ARG002 - there is one fleet.
        """Update the endpoint, unless it is so already, and wait until it serves.

        Raises:
            DeploymentError: The update was refused, failed or was rolled back.
        """
        updates = self._updates
        self.found.about_to_change()
        self._deployment.apply(keep=updates.keep, adopt=updates.adopt, preflight=False, on_progress=updates.on_progress)
        yield Served(
            target=self._target,
            look=self._control.look,
            session=self._session,
            endpoint_name=self._spec.name,
            watch=PolledServing(self._control.serving, POLL_SECONDS),
        )
