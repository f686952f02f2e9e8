"""An arm that is an endpoint on SageMaker, or one of its variants, as it stands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.arms.control_plane import POLL_SECONDS, ControlPlane
from warmroute.arms.expecting import Simulable
from warmroute.arms.targets import target_of
from warmroute.deploy import DeployedEndpoint
from warmroute.measure.experiment import PolledServing, Served
from warmroute.tune.fleets import fleet_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.inference_api import Api


class EndpointArm:
    """An endpoint that exists, and that nothing changes.

    Args:
        name: Of the arm.
        session: The boto3 session.
        endpoint: Name of the endpoint.
        variant: The variant to address; empty for SageMaker's choice by weight.
        api: By which API.
        component: The inference component, on an endpoint that has such.
        url: Root of the runtime API, instead of the session's.

    Raises:
        WarmrouteError: There is no such endpoint or variant, or it does not serve.
    """

    is_fixed = True

    def __init__(
        self,
        name: str,
        session: Any,
        endpoint: str,
        *,
        variant: str = "",
        api: Api = "invoke",
        component: str | None = None,
        url: str | None = None,
    ) -> None:
        self.name = name
        self._session, self._endpoint, self._variant, self._api = session, endpoint, variant, api
        self._target = target_of(api, session, endpoint, variant=variant, component=component, url=url)
        self._component = component
        self._control = ControlPlane(session, endpoint, variant=variant, component=component)
        self.chat_only = self._target.chat_only
        self.machines = f"{endpoint}/{variant}" if variant else endpoint
        self.instances = self._control.instances()

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another."""
        return {
            "kind": "endpoint",
            "endpoint": self._endpoint,
            "variant": self._variant,
            "component": self._component,
            "api": self._api,
        }

    def simulable(self) -> Simulable:
        """Its fleet, as the endpoint is described.

        Raises:
            WarmrouteError: It cannot be asked; or several variants serve it.
        """
        spec = DeployedEndpoint(self._endpoint, self._session).to_spec().spec
        found = fleet_of(spec, variant=self._variant or None)
        return Simulable(found.config, self._api, notes=found.notes)

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:  # noqa: ARG002 - it has no other role.
        """It serves already."""
        yield Served(
            target=self._target,
            look=self._control.look,
            session=self._session,
            endpoint_name=self._endpoint,
            variant=self._variant,
            fleet=self.machines,
            watch=PolledServing(self._control.serving, POLL_SECONDS),
        )
