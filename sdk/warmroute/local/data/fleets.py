"""The instances behind every endpoint, kept in step with what the control plane has in force."""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from warmroute.fleet import strategy_for
from warmroute.local.control import NotServingError, endpoint_in_force, existing_endpoints
from warmroute.local.data.failures import invalid, unavailable
from warmroute.local.data.instance import InstanceGroup
from warmroute.local.engines import EngineStartError
from warmroute.routing import RoutingConfig
from warmroute.routing_strategy import RoutingStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from warmroute.fleet import Strategy
    from warmroute.local.control import ComponentState, EndpointState, VariantState
    from warmroute.local.data.instance import Instance
    from warmroute.local.engines import Engines

    Identity = tuple[str | int, ...]
    """What a fleet serves, changing with whatever makes its instances other ones."""

_SERVES = {"InService", "Updating"}
"""States in which a component serves; while it is updated, its old copies do."""


class VariantFleet:
    """The instances of one variant, or the copies of one component, and how requests are spread over them.

    Args:
        variant: The variant that they run on.
        group: They.
        engines: Where their engines come from.
        component: The component that they are copies of; empty for instances.
    """

    def __init__(self, variant: VariantState, group: InstanceGroup, engines: Engines, component: str = "") -> None:
        self.variant = variant
        self.component = component
        self.routing = RoutingConfig.parse(dict(variant.routing_config)) if variant.routing_config else None
        self.strategy: Strategy = strategy_for(self.routing)
        self.weighs_caches = bool(self.routing and self.routing.routing_strategy is RoutingStrategy.KV_AWARE)
        """Whether routing asks for what an instance has in its KV cache."""
        self.engines = engines
        self.group = group

    @property
    def instances(self) -> list[Instance]:
        """All of them, whether they serve or start."""
        return self.group.instances

    def targets(self) -> tuple[Instance, ...]:
        """Those that serve now.

        Raises:
            Refusal: None does.
        """
        serving = self.group.in_service
        if not serving:
            raise unavailable(f"No instance of variant {self.variant.name} is in service now.")
        return serving


class Destination(NamedTuple):
    """Where a request goes."""

    fleet: VariantFleet

    adapter: str = ""
    """The LoRA adapter that it asks for, told apart from earlier ones of its name; empty for none.

    What is computed with an adapter is cached for that adapter alone: vLLM hashes its name into every block.
    """


class ServedEndpoint(NamedTuple):
    """An endpoint as whoever watches it sees it."""

    account: str
    region: str
    state: EndpointState
    fleets: tuple[VariantFleet, ...]


class Fleets:
    """Every fleet of this process.

    Every deployment gets new instances with cold caches, as UpdateEndpoint starts a new fleet, and so does a component
    whose specification changes; a change of the count alone keeps those that stay. What is deleted is forgotten.

    Args:
        engines: Where the engines of instances come from.
        in_force: Finds an endpoint by account, region and name.
        existing: Names every endpoint that there is, in the same way.
    """

    def __init__(
        self,
        engines: Engines,
        *,
        in_force: Callable[[str, str, str], EndpointState | None] = endpoint_in_force,
        existing: Callable[[], Iterable[tuple[str, str, str]]] = existing_endpoints,
    ) -> None:
        self.refused: Counter[str] = Counter()
        """Requests that no instance was chosen for, by the code of their error."""
        self._engines = engines
        self._in_force = in_force
        self._existing = existing
        self._chance = random.Random(0)  # noqa: S311 - the weights of variants need no secret.
        self._known: dict[tuple[str, str, str], tuple[EndpointState, dict[Identity, VariantFleet]]] = {}
        self._starting: dict[Identity, InstanceGroup] = {}
        """Instances of what is not in force yet."""
        self._changing = threading.RLock()
        """Held by whoever starts or drops instances; requests only look."""

    def is_ready(self, state: EndpointState) -> bool:
        """Whether an endpoint could serve as it shall be; what it lacks for that is started. For any thread.

        Args:
            state: The endpoint as it shall be.

        Raises:
            NotServingError: It never will.
        """
        with self._changing:
            fleets = [fleets for _, fleets in self._known.values()]
            in_force = {identity: fleet.group for each in fleets for identity, fleet in each.items()}
            groups = []
            try:
                for identity, _, environment, count, _ in _wanted(state):
                    group = in_force.get(identity) or self._starting.get(identity)
                    if group is None:
                        group = self._starting[identity] = self._group(state, identity, environment)
                    group.prepare(count)
                    groups.append(group)
                return all([group.is_ready() for group in groups])  # noqa: C419 - each is asked, and may refuse.
            except EngineStartError as error:
                raise NotServingError(str(error)) from None

    def give_up(self, state: EndpointState) -> None:
        """Drop the instances of a deployment that has failed. For any thread."""
        with self._changing:
            for identity, *_ in _wanted(state):
                if identity in self._starting:
                    self._end(self._starting.pop(identity))
            for _, fleets in self._known.values():
                for fleet in fleets.values():
                    fleet.group.give_up()

    def follow(self) -> None:
        """Start and drop instances as the control plane has it, though nobody asks for them."""
        for key, (before, _) in list(self._known.items()):
            state = self._in_force(*key)
            if state is not before and state is not None:
                self._up_to_date(key, state)
            elif state is None:
                self._forget_what_is_gone()

    def endpoints(self) -> list[ServedEndpoint]:
        """Every endpoint that there is, with the fleets behind it, used or not."""
        found = []
        for key in sorted(self._existing()):
            state = self._in_force(*key)
            if state is not None:
                account, region, _ = key
                found.append(ServedEndpoint(account, region, state, tuple(self._up_to_date(key, state).values())))
        return found

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
            self._forget_what_is_gone()
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
        with self._changing:
            fleets = {}
            for identity, variant, environment, count, component in _wanted(state):
                if identity in known:
                    fleets[identity] = known[identity]
                else:
                    group = self._starting.get(identity) or self._group(state, identity, environment)
                    self._starting.pop(identity, group)
                    fleets[identity] = VariantFleet(variant, group, self._engines, component)
                fleets[identity].group.resize(count)
            self._known[key] = (state, fleets)
            for identity, fleet in known.items():
                if identity not in fleets:
                    self._end(fleet.group)
        self._forget_what_is_gone()
        return fleets

    def _forget_what_is_gone(self) -> None:
        # Asked before anything is held: the control plane holds its own lock when it asks whether instances are ready.
        gone = [key for key in self._known if not self._in_force(*key)]
        with self._changing:
            for key in gone:
                for fleet in self._known.pop(key)[1].values():
                    self._end(fleet.group)

    @staticmethod
    def _end(group: InstanceGroup) -> None:
        group.give_up()
        group.resize(0)

    def _group(self, state: EndpointState, identity: Identity, environment: Mapping[str, str]) -> InstanceGroup:
        prefix = "-".join(map(str, (state.endpoint_config_name, *identity)))
        return InstanceGroup(prefix, environment, self._engines)


def _wanted(state: EndpointState) -> Iterator[tuple[Identity, VariantState, Mapping[str, str], int, str]]:
    """Every fleet that an endpoint shall have: what it serves, its variant, variables, count and component."""
    variants = {variant.name: variant for variant in state.variants}
    for variant in state.variants:
        count = variant.instance_count if variant.model_name else 0  # Else the copies of components run there.
        yield _of_variant(state, variant), variant, variant.model_environment, count, ""
    for component in state.components:
        if component.base is None and component.variant_name in variants:
            variant = variants[component.variant_name]
            copies = component.copy_count
            yield _of_component(state, component), variant, component.environment, copies, component.name


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
