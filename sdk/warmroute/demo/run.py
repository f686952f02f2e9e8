"""Runs every arm of the demo on one local endpoint, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.demo.experiment import Arm, run_arm
from warmroute.demo.summary import summarise
from warmroute.deploy import Deployment
from warmroute.local import running_locally
from warmroute.routing import RoutingConfig
from warmroute.routing_strategy import RoutingStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warmroute.demo.summary import Summary
    from warmroute.hosting import EndpointSpec
    from warmroute.local import EngineSettings
    from warmroute.routing import PrefixAwareRoutingConfig
    from warmroute.traffic import TrafficRequest

STRATEGIES = (RoutingStrategy.RANDOM, RoutingStrategy.PREFIX_AWARE)
"""The arms, in the order in which they run; each starts with cold caches, since its configuration is new."""


def run_demo(
    spec: EndpointSpec,
    requests: Sequence[TrafficRequest],
    *,
    settings: PrefixAwareRoutingConfig,
    requests_per_second: float,
    engines: EngineSettings | None = None,
    on_step: Callable[[str], None] = lambda _: None,
    on_answer: Callable[[int], None] = lambda _: None,
) -> dict[str, Summary]:
    """The figures of each strategy, by its name.

    Args:
        spec: The endpoint; the routing of its first variant is what the arms differ in.
        requests: What is sent, the same in each arm.
        settings: Prefix length and threshold of the PREFIX_AWARE arm.
        requests_per_second: Mean rate of the open loop.
        engines: What serves behind the instances; simulated engines by default.
        on_step: Told what begins.
        on_answer: Told after each answer how many there are in this arm.
    """
    summaries = {}
    on_step("start the local endpoint")
    with running_locally(engines=engines) as local:
        for strategy in STRATEGIES:
            on_step(f"apply {spec.name} with {strategy}")
            arm_spec = _with_routing(spec, strategy, settings)
            outcome = Deployment(arm_spec, local.session(), poll_seconds=0.2).apply()
            on_step(f"send {len(requests)} chat requests under {strategy}")
            answers = run_arm(
                Arm(local.session(outcome.region), outcome.endpoint),
                requests,
                prefix_length=settings.prefix_length,
                requests_per_second=requests_per_second,
                on_answer=on_answer,
            )
            summaries[str(strategy)] = summarise(answers, instances=spec.variants[0].initial_instance_count or 1)
        on_step("tear down")
    return summaries


def _with_routing(spec: EndpointSpec, strategy: RoutingStrategy, settings: PrefixAwareRoutingConfig) -> EndpointSpec:
    aware = strategy is RoutingStrategy.PREFIX_AWARE
    routing = RoutingConfig(routing_strategy=strategy, prefix_aware_routing_config=settings if aware else None)
    first, *rest = spec.variants
    return spec.model_copy(update={"variants": (first.model_copy(update={"routing_config": routing}), *rest)})
