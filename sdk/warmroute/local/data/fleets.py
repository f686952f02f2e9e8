"""The instances behind every endpoint, kept in step with what the control plane has in force."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from warmroute.fleet import strategy_for
from warmroute.local.data.failures import invalid
from warmroute.local.data.instance import Instance
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.fleet import Strategy
    from warmroute.local.control import ComponentState, EndpointState, VariantState


class VariantFleet:
    """The instances of one variant, or the copies of one component, and how requests are spread over them."""

    def __init__(self, variant: VariantState, environment: Mapping[str, str], prefix: str, speed: float) -> None:
        self.variant = variant
        self.routing = RoutingConfig.parse(dict(variant.routing_config)) if variant.routing_config else None
        self.strategy: Strategy = strategy_for(self.routing)
        self.instances: list[Instance] = []
        self._environment = environment
        self._prefix = prefix
        self._speed = speed

    def resize(self, count: int) -> None:
        """Start or drop instances; those that stay keep their caches."""
        del self.instances[count:]
        for number in range(len(self.instances), count):
            self.instances.append(Instance(f"{self._prefix}-{number}", self._environment, speed=self._speed))


class Fleets:
    """Every fleet of this process.

    An endpoint that gets a new configuration gets new instances with cold caches, as UpdateEndpoint starts a new
    fleet; a change of the count alone keeps those that stay.

    Args:
        speed: How many times faster than real engines they run.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._chance = random.Random(0)  # noqa: S311 - the weights of variants need no secret.
        self._known: dict[tuple[str, str, str], tuple[EndpointState, dict[str, VariantFleet]]] = {}

    def fleet(
        self, account: str, region: str, state: EndpointState, *, variant: str = "", component: str = ""
    ) -> VariantFleet:
        """The fleet that serves a request.

        Args:
            account: Account of the endpoint.
            region: Region of the endpoint.
            state: The endpoint in force.
            variant: Variant that the request asks for; empty to choose by weight.
            component: Inference component that the request asks for; empty for none.

        Raises:
            Refusal: The endpoint has no such variant or component, needs one to be named, or has no instance.
        """
        fleets = self._up_to_date((account, region, state.name), state)
        name = self._component(state, component) if state.components or component else self._variant(state, variant)
        found = fleets[name]
        if not found.instances:
            raise invalid(f"Endpoint {state.name} has no capacity for {name}.")
        return found

    def _variant(self, state: EndpointState, wanted: str) -> str:
        names = [variant.name for variant in state.variants]
        if wanted and wanted not in names:
            raise invalid(f"Variant {wanted} is not part of endpoint {state.name}. Variants: {', '.join(names)}.")
        weights = [variant.weight for variant in state.variants]
        if wanted or not any(weights):
            return wanted or names[0]
        return self._chance.choices(names, weights)[0]

    @staticmethod
    def _component(state: EndpointState, wanted: str) -> str:
        serving = {component.name: component for component in state.components if component.status == "InService"}
        if wanted not in serving:
            problem = f"Inference component {wanted} is not in service" if wanted else "No inference component is named"
            raise invalid(f"{problem} on endpoint {state.name}. In service: {', '.join(serving) or 'none'}.")
        return f"{_COMPONENT}{serving[wanted].base or wanted}"

    def _up_to_date(self, key: tuple[str, str, str], state: EndpointState) -> dict[str, VariantFleet]:
        before, fleets = self._known.get(key, (None, {}))
        if before is state:
            return fleets
        if before is None or before.endpoint_config_name != state.endpoint_config_name:
            fleets = {}
        wanted = {
            variant.name: (variant, variant.model_environment, variant.instance_count) for variant in state.variants
        }
        for component in state.components:
            if component.base is None:
                wanted[_COMPONENT + component.name] = self._of_component(state, component)
        for name, (variant, environment, count) in wanted.items():
            if name not in fleets:
                fleets[name] = VariantFleet(variant, environment, f"{state.endpoint_config_name}-{name}", self._speed)
            fleets[name].resize(count)
        fleets = {name: fleets[name] for name in wanted}
        self._known[key] = (state, fleets)
        return fleets

    @staticmethod
    def _of_component(state: EndpointState, component: ComponentState) -> tuple[VariantState, Mapping[str, str], int]:
        variant = next(each for each in state.variants if each.name == component.variant_name)
        return variant, component.environment, component.copy_count


_COMPONENT = "component/"
