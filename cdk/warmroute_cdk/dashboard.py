"""The dashboard of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Duration, Stack
from aws_cdk.aws_cloudwatch import AlarmStatusWidget, Dashboard, TextWidget
from constructs import Construct

from warmroute.errors import IncompleteSpecError
from warmroute_cdk.dashboard_rows import COLUMNS, component_rows, variant_rows
from warmroute_cdk.failures import path_of
from warmroute_cdk.watched import enhanced, watched_components, watched_variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk.aws_cloudwatch import IWidget

    from warmroute.hosting import EndpointSpec, ProductionVariant
    from warmroute_cdk.alarms import EndpointAlarms
    from warmroute_cdk.vllm_endpoint import VllmEndpoint


class EndpointDashboard(Construct):
    """Traffic, latency, pressure, GPUs and fleet of each variant and inference component that a spec has.

    What SageMaker publishes for no endpoint, or not for this one, is not plotted: series per instance need
    ``enable_enhanced_metrics``.

    Args:
        scope: Where it belongs.
        id: Its id there.
        endpoint: The endpoint. Default: the one that ``spec`` describes.
        spec: The spec, for an endpoint that is made elsewhere. Default: the endpoint's.
        endpoint_name: Name of the endpoint; may be a token. Default: the endpoint's, or the spec's.
        alarms: Alarms whose states are shown. Default: none.
        dashboard_name: Name of the dashboard, unique in the account. Default: CloudFormation makes one.
        first_rows: Rows that come before those of the spec. Default: none.

    Raises:
        IncompleteSpecError: Neither an endpoint nor a spec is given.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        endpoint: VllmEndpoint | None = None,
        spec: EndpointSpec | None = None,
        endpoint_name: str | None = None,
        alarms: EndpointAlarms | None = None,
        dashboard_name: str | None = None,
        first_rows: Sequence[Sequence[IWidget]] = (),
    ) -> None:
        described = spec or (endpoint.spec if endpoint else None)
        if described is None:
            raise IncompleteSpecError(
                f"{path_of(scope.node.path, id)}: nothing says what to show.", "Give endpoint=..., or spec=..."
            )
        super().__init__(scope, id)
        name = endpoint_name or (endpoint.endpoint_name if endpoint else described.name)
        self.dashboard = Dashboard(
            self,
            "Dashboard",
            dashboard_name=dashboard_name,
            default_interval=Duration.hours(3),
        )
        self._add([_heading(described, Stack.of(self).region)])
        if alarms:
            status = AlarmStatusWidget(alarms=list(alarms.alarms.values()), title="Alarms", width=COLUMNS, height=3)
            self._add([status])
        for row in first_rows:
            self._add(row)
        for variant in watched_variants(described, name):
            for row in variant_rows(variant, per_instance=enhanced(described)):
                self._add(row)
        for component in watched_components(described):
            for row in component_rows(component):
                self._add(row)

    def _add(self, row: Sequence[IWidget]) -> None:
        self.dashboard.add_widgets(*row)


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
