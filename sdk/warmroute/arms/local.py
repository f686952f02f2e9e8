"""An arm that is a local endpoint, a new process for each run, so that its caches begin empty."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.arms.control_plane import ControlPlane
from warmroute.arms.described import component_of, described
from warmroute.arms.expecting import Simulable
from warmroute.arms.targets import target_of
from warmroute.errors import WarmrouteError
from warmroute.local import EngineKind, EngineSettings, running_locally
from warmroute.local.child import DEFAULT_REGION
from warmroute.local.options import check_options
from warmroute.measure.experiment import PolledServing, Served, Serving
from warmroute.measure.telemetry import INTERVAL_SECONDS, local_fleet
from warmroute.tune.fleets import fleet_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warmroute.hosting import EndpointSpec
    from warmroute.inference_api import Api


class LocalArm:
    """A spec that is served on this machine.

    Args:
        name: Of the arm.
        spec: What is served.
        api: By which API requests are sent.
        speed_factor: How many times faster than real ones simulated engines run.
        engines: What serves behind the instances; simulated engines by default.

    Raises:
        LocalEndpointError: The speed factor is out of its range.
    """

    is_fixed = True
    machines = "this machine"
    instances: int | None = None

    def __init__(
        self,
        name: str,
        spec: EndpointSpec,
        *,
        api: Api = "invoke",
        speed_factor: float = 1.0,
        engines: EngineSettings | None = None,
    ) -> None:
        check_options(speed_factor, 0)
        self.name = name
        self._spec, self._api, self._speed_factor = spec, api, speed_factor
        self._engines = engines or EngineSettings()
        self.chat_only = api == "openai"

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another."""
        return {
            "kind": "local",
            **described(self._spec),
            "api": self._api,
            "engine": str(self._engines.kind),
            "engine_arguments": list(self._engines.vllm_arguments),
            "engine_model": str(self._engines.model_dir or ""),
            "speed_factor": self._speed_factor,
        }

    def simulable(self) -> Simulable:
        """Its fleet, as far as simulated engines stand behind it.

        Raises:
            WarmrouteError: Others do; or the spec has several variants.
        """
        if self._engines.kind is not EngineKind.SIMULATED:
            raise WarmrouteError(f"its engines are of the kind {self._engines.kind}, whose caches are not described.")
        found = fleet_of(self._spec)
        return Simulable(found.config, self._api, self._speed_factor)

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:  # noqa: ARG002 - there is one fleet.
        """Start it, and stop it at the end."""
        with running_locally(
            self._spec, speed=self._speed_factor, deployment_seconds=0, engines=self._engines
        ) as local:
            session = local.session(self._spec.region or DEFAULT_REGION)
            control = ControlPlane(session, self._spec.name, component=component_of(self._spec))

            def serving() -> Serving:
                names = local_fleet(local.url, self._spec.name).instances
                return Serving(len(names), names, control.serving().changing)

            yield Served(
                target=target_of(self._api, session, self._spec.name, component=component_of(self._spec)),
                look=control.look,
                session=session,
                endpoint_name=self._spec.name,
                local_url=local.url,
                watch=PolledServing(serving, INTERVAL_SECONDS),
            )
