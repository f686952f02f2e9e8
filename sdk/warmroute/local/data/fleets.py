"""The instances behind every endpoint, kept in step with what the control plane has in force."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from warmroute.fleet import strategy_for
from warmroute.local.control import endpoint_in_force
from warmroute.local.data.failures import invalid
from warmroute.local.data.instance import Instance
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from warmroute.fleet import Strategy
    from warmroute.local.control import ComponentState, EndpointState, VariantState

    Identity = tuple[str | int, ...]
    """What a fleet serves, changing with whatever makes its instances other ones."""

_SERVES = {"InService", "Updating"}
"""States in which a component serves; while it is updated, its old copies do."""


class VariantFleet:
    """The instances of one variant, or the copies of one component, and how requests are spread over them.

    Args:
        variant: The variant that they run on.
        environment: Variables of their container.
        prefix: Beginning of their names.
        speed: How many times faster than real engines they run.
    """

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


class Destination(NamedTuple):
    """Where a request goes."""

    fleet: VariantFleet

    adapter: str = ""
    """The LoRA adapter that it asks for, told apart from earlier ones of its name; empty for none.

    What is computed with an adapter is cached for that adapter alone: vLLM hashes its name into every block.
    """


class Fleets:
    """Every fleet of this process.

    Every deployment gets new instances with cold caches, as UpdateEndpoint starts a new fleet, and so does a component
    whose specification changes; a change of the count alone keeps those that stay. What is deleted is forgotten.

    Args:
        speed: How many times faster than real engines they run.
        in_force: Finds an endpoint by account, region and name.
    """

    def __init__(
        self, speed: float = 1.0, *, in_force: Callable[[str, str, str], EndpointState | None] = endpoint_in_force
    ) -> None:
        self._speed = speed
        self._in_force = in_force
        self._chance = random.Random(0)  # noqa: S311 - the weights of variants need no secret.
        self._known: dict[tuple[str, str, str], tuple[EndpointState, dict[Identity, VariantFleet]]] = {}

    def destination(
        self, account: str, region: str, name: str, *, variant: str = "", component: str = ""
    ) -> Destination:
        """Where a request goes.

        Args:
            account: Account of the endpoint.
            region: Region of the endpoint.
            name: The endpoint.
            variant: Variant that the request asks for; empty to choose by weight.
            component: Inference component that the request asks for; empty for none.

        Raises:
            Refusal: There is no such endpoint, it does not serve yet, it has no such variant or component, needs one
                to be named, or has no instance.
        """
        state = self._in_force(account, region, name)
        if state is None:
            self._known.pop((account, region, name), None)
            raise invalid(f"Endpoint {name} of account {account} not found.")
        if not state.variants:
            raise invalid(f"Endpoint {name} is {state.status} and does not serve yet.")
        fleets = self._up_to_date((account, region, name), state)
        if state.components or component:
            return _to_component(state, fleets, component)
        return _to_variant(state, fleets, variant, self._chance)

    def _up_to_date(self, key: tuple[str, str, str], state: EndpointState) -> dict[Identity, VariantFleet]:
        before, known = self._known.get(key, (None, {}))
        if before is state:
            return known
        fleets = {}
        for identity, variant, environment, count in _wanted(state):
            prefix = "-".join(map(str, (state.endpoint_config_name, *identity)))
            fleets[identity] = known.get(identity) or VariantFleet(variant, environment, prefix, self._speed)
            fleets[identity].resize(count)
        self._known = {other: kept for other, kept in self._known.items() if self._in_force(*other)}
        self._known[key] = (state, fleets)
        return fleets


def _wanted(state: EndpointState) -> Iterator[tuple[Identity, VariantState, Mapping[str, str], int]]:
    """Every fleet that an endpoint shall have: what it serves, its variant, variables and count."""
    variants = {variant.name: variant for variant in state.variants}
    for variant in state.variants:
        yield _of_variant(state, variant), variant, variant.model_environment, variant.instance_count
    for component in state.components:
        if component.base is None and component.variant_name in variants:
            variant = variants[component.variant_name]
            yield _of_component(state, component), variant, component.environment, component.copy_count


def _of_variant(state: EndpointState, variant: VariantState) -> Identity:
    return (state.deployment_serial, variant.name)


def _of_component(state: EndpointState, component: ComponentState) -> Identity:
    return (state.deployment_serial, component.name, component.serial)


def _to_variant(
    state: EndpointState, fleets: Mapping[Identity, VariantFleet], wanted: str, chance: random.Random
) -> Destination:
    variants = {variant.name: variant for variant in state.variants}
    if wanted and wanted not in variants:
        raise invalid(f"Variant {wanted} is not part of endpoint {state.name}. Variants: {', '.join(variants)}.")
    weights = [variant.weight for variant in state.variants]
    chosen = wanted or (chance.choices(list(variants), weights)[0] if any(weights) else state.variants[0].name)
    if variants[chosen].is_serverless:
        raise invalid(f"Variant {chosen} of endpoint {state.name} is serverless, which is not simulated here.")
    fleet = fleets[_of_variant(state, variants[chosen])]
    if not fleet.instances:
        raise invalid(f"Variant {chosen} of endpoint {state.name} has no instance now.")
    return Destination(fleet)


def _to_component(state: EndpointState, fleets: Mapping[Identity, VariantFleet], wanted: str) -> Destination:
    serving = {component.name: component for component in state.components if component.status in _SERVES}
    if wanted not in serving:
        problem = f"Inference component {wanted} is not in service" if wanted else "No inference component is named"
        raise invalid(f"{problem} on endpoint {state.name}. In service: {', '.join(serving) or 'none'}.")
    component = serving[wanted]
    base = next(each for each in state.components if each.name == (component.base or wanted))
    fleet = fleets.get(_of_component(state, base))
    if fleet is None:
        raise invalid(f"Endpoint {state.name} no longer has variant {base.variant_name}, which {wanted} runs on.")
    if not fleet.instances:
        raise invalid(f"Inference component {base.name} of endpoint {state.name} has no copy now.")
    return Destination(fleet, f"{wanted}/{component.serial}" if component.base else "")
