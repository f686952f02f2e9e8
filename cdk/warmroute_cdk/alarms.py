"""The alarms of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk.aws_cloudwatch import MathExpression
from constructs import Construct

from warmroute.errors import IncompleteSpecError
from warmroute_cdk.acknowledgements import acknowledge
from warmroute_cdk.alarm_maker import BELOW, AlarmMaker
from warmroute_cdk.alarm_settings import DEFAULTS, AlarmSettings, LatencyAlarm, refuse_unfit
from warmroute_cdk.composite import any_of
from warmroute_cdk.failures import ConstructError, checked_construct, named, path_of
from warmroute_cdk.metrics import MINUTE, MODEL_LATENCY, OVERHEAD_LATENCY
from warmroute_cdk.place import apart, known, refuse_too_many_resources, region_of
from warmroute_cdk.promql import Fleet
from warmroute_cdk.subject import region_watched, subject_of
from warmroute_cdk.watched import detailed, watched_components, watched_variants

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from aws_cdk.aws_cloudwatch import AlarmBase, CompositeAlarm

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.endpoint_metrics import RequestMetrics
    from warmroute_cdk.vllm_endpoint import VllmEndpoint
    from warmroute_cdk.watched import WatchedComponent, WatchedVariant

ROLLBACK_ALARMS = ("server-errors", "model-errors", "mid-stream-errors", "latency")
"""Alarms that a bad update sets off within minutes; load and wear set off the others."""

COMPOSITE_ALARMS = ("server-errors", "hot-instance")
"""What the composite alarm looks at."""

PACKS_WITH_ACTION_RULE = ("HIPAA.Security", "NIST.800.53.R4", "NIST.800.53.R5")
"""Packs of cdk-nag that ask for an action of every alarm."""


class EndpointAlarms(Construct):
    """The alarms that fit a spec, for each variant or each inference component.

    Their dimensions say the endpoint's name as text, so that they can exist before it and roll its updates back:
    ``VllmEndpoint(..., rollback_alarms=alarms.rollback_alarms)``, or ``endpoint.add_rollback_alarms(...)`` later.

    Args:
        scope: Where they belong.
        id: Their id there.
        endpoint: The endpoint. Default: the one that ``spec`` describes.
        spec: The spec, or the path of its file, for an endpoint that is made elsewhere. Default: the endpoint's.
        endpoint_name: Name of the endpoint, as text. Default: the spec's.
        settings: Settings of each alarm and their actions, see ``AlarmSettings``.

    Raises:
        IncompleteSpecError: Neither an endpoint nor a spec is given, or the endpoint's name is not known as text.
        UnknownMetricError: A latency is asked for with a statistic that it does not have.
        ConstructError: The endpoint is in another region, a setting does not fit its alarm, or the stack is full.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        endpoint: VllmEndpoint | None = None,
        spec: EndpointSpec | str | Path | None = None,
        endpoint_name: str | None = None,
        **settings: Unpack[AlarmSettings],
    ) -> None:
        path = path_of(scope.node.path, id)
        self.spec = subject_of(endpoint, spec, path)
        self.endpoint_name = endpoint_name or self.spec.name
        with named(path):
            refuse_unfit(settings)
            self._refuse_unwatchable(region_of(scope), region_watched(endpoint, self.spec))
        super().__init__(scope, id)
        self._settings: AlarmSettings = {**DEFAULTS, **settings}
        self._maker = AlarmMaker(self, self._settings)
        self.alarms = self._maker.alarms
        for variant in watched_variants(self.spec, self.endpoint_name):
            if variant.takes_traffic:
                self._watch_variant(variant)
        for component in watched_components(self.spec):
            self._watch_component(component)
        self.composite_alarm = self._composite()
        self._acknowledge()
        refuse_too_many_resources(self)

    @property
    def rollback_alarms(self) -> list[AlarmBase]:
        """Alarms that a bad update sets off, for guardrails; SageMaker takes at most ten."""
        return [alarm for name, alarm in self.alarms.items() if name.startswith(ROLLBACK_ALARMS)]

    def _refuse_unwatchable(self, here: str | None, there: str | None) -> None:
        if known(self.endpoint_name) is None:
            raise IncompleteSpecError(
                "endpoint_name is not known before deployment, and the queries of alarms need it as text.",
                "Give the name that the spec says.",
            )
        if apart(here, there):
            raise ConstructError(
                f"the endpoint is in {there}, and the stack in {here}: an alarm watches metrics of its own region.",
                f"Make the alarms in a stack for {there}.",
            )

    def _watch_variant(self, watched: WatchedVariant) -> None:
        name, metrics = watched.name, watched.metrics
        if watched.takes_requests:
            self._watch_requests(name, f"variant {name}", metrics)
            errors = metrics.metric_mid_stream_errors()
            self._maker.on_metric("mid-stream-errors", name, errors, f"Streams of variant {name} break off.")
        if watched.takes_requests and watched.several_instances and watched.threshold:
            self._watch_serving(name, f"variant {name}", metrics)
        if self.spec.data_capture_config and watched.has_instances:
            disk = metrics.metric_disk_utilization()
            self._maker.on_metric("disk", name, disk, f"Disks of variant {name} fill up; data capture stops at 75 %.")
        if watched.serves_vllm:
            fleet = Fleet.of_variant(self.endpoint_name, name)
            self._watch_engines(name, f"variant {name}", fleet, watched.threshold, several=watched.several_instances)

    def _watch_component(self, watched: WatchedComponent) -> None:
        name, metrics = watched.name, watched.metrics
        self._watch_requests(name, f"component {name}", metrics)
        if watched.is_adapter:
            return
        if not watched.scales_to_zero:
            refused = metrics.metric_no_capacity_invocation_failures()
            self._maker.on_metric("no-capacity", name, refused, f"Requests find no copy of component {name}.")
        if watched.threshold and watched.copies_at_least > 1:
            self._watch_serving(name, f"component {name}", metrics)
        if watched.serves_vllm:
            fleet = Fleet.of_component(self.endpoint_name, name)
            self._watch_engines(name, f"component {name}", fleet, watched.threshold, several=watched.copies_at_most > 1)

    def _watch_requests(self, name: str, what: str, metrics: RequestMetrics) -> None:
        rate = MathExpression(
            expression="100 * errors / requests",
            using_metrics={"errors": metrics.metric_invocation_5xx_errors(), "requests": metrics.metric_invocations()},
            label="5XX, percent of requests",
            period=MINUTE,
        )
        self._maker.on_metric("server-errors", name, rate, f"Requests to {what} fail with 5XX, in percent.")
        self._maker.on_metric(
            "model-errors", name, metrics.metric_invocation_model_errors(), f"The container of {what} fails requests."
        )
        for alarm, kind, trouble in (
            ("latency", MODEL_LATENCY, "answers slowly"),
            ("overhead", OVERHEAD_LATENCY, "waits for SageMaker's own work"),
        ):
            limit: LatencyAlarm | None = self._maker.setting(alarm)
            if limit:
                description = (
                    f"{what[0].upper()}{what[1:]} {trouble}: {limit.statistic} over {limit.milliseconds:g} ms."
                )
                self._maker.on_metric(alarm, name, metrics.metric(kind, limit.statistic), description)

    def _watch_serving(self, name: str, what: str, metrics: RequestMetrics) -> None:
        description = f"Fewer than two servers of {what}: prefix-aware routing has nothing to choose from."
        self._maker.on_metric("serving", name, metrics.metric_serving(), description, BELOW)

    def _watch_engines(self, name: str, what: str, fleet: Fleet, threshold: int | None, *, several: bool) -> None:
        if not detailed(self.spec):
            return
        hot, near, full = (self._maker.setting(alarm) for alarm in ("hot-instance", "near-overflow", "kv-cache"))
        if hot and several:
            description = f"One server of {what} has over {hot.threshold:g} times the mean load."
            self._maker.on_query("hot-instance", name, fleet.hot(hot.threshold), description)
        if near and threshold:
            requests = near.threshold * threshold
            description = f"A server of {what} is near its concurrency_threshold of {threshold}; requests overflow."
            self._maker.on_query("near-overflow", name, fleet.overflowing(requests), description)
        if full:
            description = f"The KV cache of {what} is full while requests wait: cached beginnings are evicted."
            self._maker.on_query("kv-cache", name, fleet.thrashing(full.threshold), description)

    def _composite(self) -> CompositeAlarm | None:
        parts = [alarm for name, alarm in self.alarms.items() if name.startswith(COMPOSITE_ALARMS)]
        if not parts:
            return None
        composite = any_of(
            self,
            "Composite",
            parts,
            alarm_description=f"{self.endpoint_name} fails requests, or one server of it is overloaded.",
            actions_suppressor=self._settings.get("suppressor"),
        )
        composite.add_alarm_action(*self._settings.get("composite_actions", ()))
        return composite

    def _acknowledge(self) -> None:
        reason = self._settings.get("no_actions_reason")
        if reason and not self._settings.get("alarm_actions"):
            acknowledge(self, {f"{pack}-CloudWatchAlarmAction": reason for pack in PACKS_WITH_ACTION_RULE})
