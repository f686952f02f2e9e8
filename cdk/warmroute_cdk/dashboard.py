"""The dashboard of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Duration, Stack
from aws_cdk.aws_cloudwatch import AlarmStatusWidget, Dashboard, TextWidget
from constructs import Construct

from warmroute_cdk.dashboard_rows import COLUMNS, component_rows, variant_rows, widgets_of
from warmroute_cdk.failures import ConstructError, checked_construct, path_of
from warmroute_cdk.place import apart, in_same_stack, refuse_too_many_resources, region_of
from warmroute_cdk.subject import region_watched, subject_of
from warmroute_cdk.watched import enhanced, watched_components, watched_variants

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aws_cdk.aws_cloudwatch import IWidget

    from warmroute.hosting import EndpointSpec, ProductionVariant
    from warmroute_cdk.alarms import EndpointAlarms
    from warmroute_cdk.dashboard_rows import Graph
    from warmroute_cdk.vllm_endpoint import VllmEndpoint

MOST_WIDGETS = 500
"""Widgets of a dashboard. Source: CloudWatch quotas."""

MOST_ALARMS = 100
"""Alarms of a widget. Source: CloudWatch dashboard body structure."""


class EndpointDashboard(Construct):
    """Traffic, latency, pressure, GPUs and fleet of each variant and inference component that a spec has.

    What SageMaker publishes for no endpoint, or not for this one, is not plotted: series per instance need
    ``enable_enhanced_metrics``. In a stack of another region it shows the metrics of the endpoint's.

    Args:
        scope: Where it belongs.
        id: Its id there.
        endpoint: The endpoint. Default: the one that ``spec`` describes.
        spec: The spec, or the path of its file, for an endpoint that is made elsewhere. Default: the endpoint's.
        endpoint_name: Name of the endpoint; may be a token. Default: the endpoint's, or the spec's.
        alarms: Alarms whose states are shown. Default: none.
        dashboard_name: Name of the dashboard, unique in the account. Default: CloudFormation makes one.
        first_rows: Rows that come before those of the spec. Default: none.

    Raises:
        IncompleteSpecError: Neither an endpoint nor a spec is given.
        ConstructError: The alarms are in another region, there is too much to show, or the stack is full.
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
        alarms: EndpointAlarms | None = None,
        dashboard_name: str | None = None,
        first_rows: Sequence[Sequence[IWidget | Graph]] = (),
    ) -> None:
        described = subject_of(endpoint, spec, path_of(scope.node.path, id))
        super().__init__(scope, id)
        here, there = region_of(self), region_watched(endpoint, described)
        name = endpoint_name or (_name_in(self, endpoint) if endpoint else described.name)
        rows: list[Sequence[IWidget | Graph]] = [[_heading(described, there or Stack.of(self).region)]]
        if alarms:
            rows += _alarm_rows(alarms, self)
        rows += first_rows
        for variant in watched_variants(described, name):
            rows += variant_rows(variant, per_instance=enhanced(described))
        for component in watched_components(described):
            rows += component_rows(component)
        self._refuse_too_many(sum(len(row) for row in rows))
        self.dashboard = Dashboard(
            self,
            "Dashboard",
            dashboard_name=dashboard_name,
            default_interval=Duration.hours(3),
        )
        elsewhere = there if apart(here, there) else None
        for row in rows:
            self.dashboard.add_widgets(*widgets_of(row, elsewhere))
        refuse_too_many_resources(self)

    def _refuse_too_many(self, widgets: int) -> None:
        if widgets > MOST_WIDGETS:
            raise ConstructError(
                f"{self.node.path}: it would have {widgets} widgets, and CloudWatch takes {MOST_WIDGETS}.",
                "Make several, each with a spec of some of the components: spec.model_copy(update=...).",
            )


def _name_in(dashboard: Construct, endpoint: VllmEndpoint) -> str:
    """Name of the endpoint: text in another stack, so that no export ties the two together."""
    return endpoint.endpoint_name if in_same_stack(endpoint, dashboard) else endpoint.spec.name


def _alarm_rows(alarms: EndpointAlarms, dashboard: Construct) -> Iterator[Sequence[IWidget]]:
    here, there = region_of(dashboard), region_of(alarms)
    if apart(here, there):
        raise ConstructError(
            f"{dashboard.node.path}: the alarms are in {there}, and the dashboard in {here}.",
            f"Leave them out, or make the dashboard in a stack for {there}.",
        )
    every = list(alarms.alarms.values())
    for begin in range(0, len(every), MOST_ALARMS):
        yield [AlarmStatusWidget(alarms=every[begin : begin + MOST_ALARMS], title="Alarms", width=COLUMNS, height=3)]


def _heading(spec: EndpointSpec, region: str) -> TextWidget:
    console = f"https://{region}.console.aws.amazon.com/sagemaker/home?region={region}#/endpoints/{spec.name}"
    variants = "\n".join(f"- **{variant.name}**: {_routing(variant)}" for variant in spec.all_variants)
    return TextWidget(
        markdown=f"# [{spec.name}]({console})\n{variants}", width=COLUMNS, height=2 + len(spec.all_variants)
    )


def _routing(variant: ProductionVariant) -> str:
    settings = variant.prefix_aware_routing_config
    if settings is None:
        return str(variant.routing_strategy)
    length, threshold = settings.prefix_length, settings.concurrency_threshold
    return f"{variant.routing_strategy}, prefix_length {length:,}, concurrency_threshold {threshold:,}"
