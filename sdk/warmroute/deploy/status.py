"""How an endpoint stands: what it runs, how much of it, and what it could go back to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.live import config_ahead
from warmroute.deploy.changing.failure import log_url
from warmroute.deploy.ownership import is_owned
from warmroute.deploy.planning.component_updates import base_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warmroute.deploy.account.configurations import Configuration
    from warmroute.deploy.account.live import Live


@dataclass(frozen=True, slots=True)
class VariantStatus:
    """One variant of an endpoint."""

    name: str
    instance_type: str
    """The preferred one where there are pools; empty for a serverless variant."""

    current_instances: int
    desired_instances: int
    weight: float
    routing_strategy: str


@dataclass(frozen=True, slots=True)
class ComponentStatus:
    """One inference component of an endpoint."""

    name: str
    status: str
    current_copies: int
    """Copies that serve; 0 for an adapter, which has those of its base."""

    desired_copies: int
    base: str
    """The component that an adapter is loaded into; empty for a component of its own."""

    is_owned: bool


@dataclass(frozen=True, slots=True)
class ScalingStatus:
    """One scalable target of an endpoint."""

    resource_id: str
    min_capacity: int
    max_capacity: int
    policies: tuple[str, ...]
    suspended: tuple[str, ...] = ()
    """What somebody has suspended of it, in words: ``scaling out``."""


@dataclass(frozen=True, slots=True)
class Status:
    """How an endpoint stands."""

    endpoint: str
    region: str
    status: str
    """SageMaker's status, for example ``InService``."""

    endpoint_config: str
    """The configuration in force."""

    pending_config: str
    """The configuration that is on its way; empty where none is."""

    is_owned: bool
    """Whether it was made by warmroute, or adopted."""

    failure_reason: str
    """SageMaker's words; empty where nothing failed."""

    variants: tuple[VariantStatus, ...]
    components: tuple[ComponentStatus, ...]
    scaling: tuple[ScalingStatus, ...]
    configurations: tuple[Configuration, ...]
    """Those that it can run: made for it and kept, the last used first, and the one that it was taken over with."""

    log_url: str
    """CloudWatch's page of its containers' log."""

    def as_dict(self) -> dict[str, Any]:
        """The status as plain values, for JSON output."""
        return asdict(self)


def status_of(live: Live, region: str) -> Status:
    """How an endpoint stands.

    Args:
        live: What the account has of it; there is an endpoint.
        region: AWS region.
    """
    endpoint = live.endpoint or {}
    ahead = config_ahead(endpoint)
    return Status(
        endpoint=live.name,
        region=region,
        status=live.status,
        endpoint_config=endpoint["EndpointConfigName"],
        pending_config="" if ahead == endpoint["EndpointConfigName"] else ahead,
        is_owned=live.is_owned,
        failure_reason=str(endpoint.get("FailureReason") or ""),
        variants=tuple(_variants(live)),
        components=tuple(_components(live)),
        scaling=tuple(
            ScalingStatus(
                key[0], each.target["MinCapacity"], each.target["MaxCapacity"], tuple(each.policies), each.suspended
            )
            for key, each in sorted(live.scaling.items())
        ),
        configurations=(*live.configurations, *filter(None, (live.adopted,))),
        log_url=log_url(region, live.name),
    )


def _variants(live: Live) -> Iterator[VariantStatus]:
    settings = {each["VariantName"]: each for each in (live.config or {}).get("ProductionVariants", ())}
    for state in (live.endpoint or {}).get("ProductionVariants", ()):
        configured = settings.get(state["VariantName"], {})
        pools = sorted(configured.get("InstancePools", ()), key=lambda pool: pool["Priority"])
        routing = state.get("RoutingConfig") or configured.get("RoutingConfig") or {}
        yield VariantStatus(
            state["VariantName"],
            configured.get("InstanceType") or (pools[0]["InstanceType"] if pools else ""),
            state.get("CurrentInstanceCount", 0),
            state.get("DesiredInstanceCount", 0),
            state.get("CurrentWeight", 0.0),
            routing.get("RoutingStrategy", "RANDOM"),
        )


def _components(live: Live) -> Iterator[ComponentStatus]:
    for name, existing in live.components.items():
        copies = existing.described.get("RuntimeConfig", {})
        yield ComponentStatus(
            name,
            existing.described["InferenceComponentStatus"],
            copies.get("CurrentCopyCount", 0),
            copies.get("DesiredCopyCount", 0),
            base_of(existing.described) or "",
            is_owned(existing.tags, live.name),
        )
