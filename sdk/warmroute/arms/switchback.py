"""Arms that share one fleet, which is updated between runs: sequential updates."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.arms.control_plane import POLL_SECONDS, ControlPlane
from warmroute.arms.described import component_of, described, instances_of
from warmroute.arms.targets import Api, target_of
from warmroute.deploy import Deployment
from warmroute.measure.experiment import PolledServing, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from warmroute.deploy import Progress
    from warmroute.hosting import EndpointSpec


class SwitchbackArm:
    """A spec that is applied before each of its runs; the other arms have specs of the same endpoint.

    Args:
        name: Of the arm.
        spec: What the endpoint shall be.
        session: The boto3 session.
        api: By which API requests are sent.
        adopt: Whether an endpoint that was not made by warmroute is taken over.
        poll_seconds: Longest time between two looks while the endpoint is waited for.
        on_progress: Told of every step of an update.
        url: Root of the runtime API, instead of the session's.
    """

    is_fixed = True

    def __init__(
        self,
        name: str,
        spec: EndpointSpec,
        session: Any,
        *,
        api: Api = Api.NATIVE,
        adopt: bool = False,
        poll_seconds: float = 10.0,
        on_progress: Callable[[Progress], None] = lambda _: None,
        url: str | None = None,
    ) -> None:
        self.name = name
        self._spec, self._session, self._api, self._adopt = spec, session, api, adopt
        self._target = target_of(api, session, spec.name, component=component_of(spec), url=url)
        self._deployment = Deployment(spec, session, poll_seconds=poll_seconds)
        self._control = ControlPlane(session, spec.name, component=component_of(spec))
        self._on_progress = on_progress
        self.chat_only = self._target.chat_only
        self.machines = spec.name
        self.instances = instances_of(spec)

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another."""
        return {"kind": "switchback", **described(self._spec), "api": str(self._api), "instances": self.instances}

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:  # noqa: ARG002 - there is one fleet.
        """Update the endpoint, unless it is so already, and wait until it serves.

        Raises:
            DeploymentError: The update was refused, failed or was rolled back.
        """
        self._deployment.apply(adopt=self._adopt, preflight=False, on_progress=self._on_progress)
        yield Served(
            target=self._target,
            look=self._control.look,
            session=self._session,
            endpoint_name=self._spec.name,
            watch=PolledServing(self._control.serving, POLL_SECONDS),
        )
