"""Two variants of one endpoint that change roles: cross-over."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.arms.control_plane import POLL_SECONDS, ControlPlane
from warmroute.arms.expecting import Simulable
from warmroute.arms.found import FoundEndpoint, begun_arms
from warmroute.arms.targets import target_of
from warmroute.deploy import DeployedEndpoint, Deployment
from warmroute.errors import WarmrouteError
from warmroute.measure.experiment import PolledServing, Served
from warmroute.routing import RoutingConfig
from warmroute.tune.fleets import fleet_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from warmroute.arms.naming import ArmName
    from warmroute.deploy import Progress
    from warmroute.hosting import EndpointSpec, ProductionVariant


def cross_over(
    arms: tuple[ArmName, ArmName],
    session: Any,
    *,
    begun: Mapping[str, Any] | None = None,
    adopt: bool = False,
    poll_seconds: float = 10.0,
    on_progress: Callable[[Progress], None] = lambda _: None,
    url: str | None = None,
) -> list[CrossOverArm]:
    """The arms of a cross-over: the routing of two variants, each on its own machines and then on the other's.

    Args:
        arms: Two variants of one endpoint.
        session: The boto3 session.
        begun: The manifest of the comparison that is continued, whose variants may have changed roles already.
        adopt: Whether an endpoint that was not made by warmroute is taken over.
        poll_seconds: Longest time between two looks while an update is waited for.
        on_progress: Told of every step of an update.
        url: Root of the runtime API, instead of the session's.

    Raises:
        WarmrouteError: They are not two variants of one endpoint, or of different sizes, or it cannot be asked.
    """
    one, other = arms
    if not (one.endpoint == other.endpoint and one.variant and other.variant and one.variant != other.variant):
        raise WarmrouteError(
            f"Arms {one.name} and {other.name} are not two variants of one endpoint.",
            "Use NAME=endpoint/ENDPOINT/VARIANT for both, or leave out --cross-over.",
        )
    deployed = DeployedEndpoint(one.endpoint, session, poll_seconds=poll_seconds)
    spec = deployed.to_spec().spec
    variants = {variant.name: variant for variant in spec.variants}
    for arm in arms:
        if arm.variant not in variants:
            raise WarmrouteError(
                f"Endpoint {one.endpoint} has no variant {arm.variant}.", f"Its variants: {', '.join(variants)}."
            )
    _refuse_different(variants[one.variant], variants[other.variant])
    earlier = {arm.get("name"): arm.get("routing_config") for arm in begun_arms(begun)}
    routing = {arm.variant: _routing(earlier.get(arm.name), variants[arm.variant]) for arm in arms}

    found = FoundEndpoint(one.endpoint, session, begun=begun, poll_seconds=poll_seconds, on_progress=on_progress)

    def put(by_variant: Mapping[str, RoutingConfig]) -> None:
        wanted = _with_routing(deployed.to_spec().spec, by_variant)
        found.about_to_change()
        Deployment(wanted, session, poll_seconds=poll_seconds).apply(
            adopt=adopt, preflight=False, on_progress=on_progress
        )

    pairs = (arms, arms[::-1])
    return [CrossOverArm(arm, partner.variant, spec, routing, session, put, found, url) for arm, partner in pairs]


class CrossOverArm:
    """The routing of one variant, on its machines or on its partner's."""

    is_fixed = False
    chat_only = False

    def __init__(
        self,
        arm: ArmName,
        partner: str,
        spec: EndpointSpec,
        routing: Mapping[str, RoutingConfig],
        session: Any,
        put: Callable[[Mapping[str, RoutingConfig]], None],
        found: FoundEndpoint,
        url: str | None,
    ) -> None:
        self.name = arm.name
        self._endpoint, self._variant, self._partner, self._spec = arm.endpoint, arm.variant, partner, spec
        self._routing, self._session, self._put, self._url = routing, session, put, url
        self.found = found
        self.machines = f"{arm.endpoint}/{arm.variant}"
        self.instances = self._control(arm.variant).instances()

    def describe(self) -> Mapping[str, Any]:
        """What tells it from another."""
        routing = self._routing[self._variant].model_dump(mode="json", exclude_none=True)
        return {
            "kind": "cross-over",
            "endpoint": self._endpoint,
            "variant": self._variant,
            "routing_config": routing,
            "found_configuration": self.found.configuration,
        }

    def simulable(self) -> Simulable:
        """Its fleet: both variants are of the same size.

        Raises:
            WarmrouteError: The variant tells no number of instances.
        """
        found = fleet_of(self._spec, variant=self._variant)
        config = dataclasses.replace(found.config, routing=self._routing[self._variant])
        return Simulable(config, "invoke", notes=found.notes)

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:
        """Give both variants the routing that they have now, and wait until they serve.

        Raises:
            DeploymentError: The update was refused, failed or was rolled back.
        """
        one, other = self._variant, self._partner
        self._put({one: self._routing[other if swapped else one], other: self._routing[one if swapped else other]})
        machines = other if swapped else one
        control = self._control(machines)
        yield Served(
            target=target_of("invoke", self._session, self._endpoint, variant=machines, url=self._url),
            look=control.look,
            session=self._session,
            endpoint_name=self._endpoint,
            variant=machines,
            fleet=machines,
            watch=PolledServing(control.serving, POLL_SECONDS),
        )

    def _control(self, machines: str) -> ControlPlane:
        return ControlPlane(self._session, self._endpoint, variant=machines)


def _with_routing(spec: EndpointSpec, routing: Mapping[str, RoutingConfig]) -> EndpointSpec:
    variants = tuple(
        variant.model_copy(update={"routing_config": routing[variant.name]}) if variant.name in routing else variant
        for variant in spec.variants
    )
    return spec.model_copy(update={"variants": variants})


def _routing(recorded: Mapping[str, Any] | None, variant: ProductionVariant) -> RoutingConfig:
    if recorded is not None:
        return RoutingConfig.model_validate(recorded)
    return variant.routing_config or RoutingConfig.random()


def _refuse_different(one: ProductionVariant, other: ProductionVariant) -> None:
    """Variants of different machines would change more than their routing when they change roles."""
    for field in ("instance_type", "initial_instance_count"):
        if getattr(one, field) != getattr(other, field):
            raise WarmrouteError(
                f"Variants {one.name} and {other.name} differ in {field}: {getattr(one, field)} and "
                f"{getattr(other, field)}.",
                "A cross-over needs two variants of the same size.",
            )
