"""An endpoint that compares two ways of routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constructs import Construct

from warmroute.hosting.experiment import CONTROL, TREATMENT, with_routing_experiment
from warmroute.routing import RoutingConfig
from warmroute_cdk.dashboard import EndpointDashboard
from warmroute_cdk.dashboard_rows import PERCENTILES, Graph, heading, hot_instance
from warmroute_cdk.endpoint_metrics import VariantMetrics
from warmroute_cdk.failures import checked_construct, named, path_of
from warmroute_cdk.given import spec_of
from warmroute_cdk.metrics import milliseconds
from warmroute_cdk.vllm_endpoint import VllmEndpoint
from warmroute_cdk.watched import enhanced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Unpack

    from aws_cdk.aws_cloudwatch import IWidget

    from warmroute.hosting import EndpointSpec
    from warmroute_cdk.spec_constructs import SpecConstructs


class RoutingExperiment(Construct):
    """One endpoint with two variants that differ in their routing alone, and a dashboard that compares them.

    The variants are called ``control`` and ``treatment``; a request chooses one by ``TargetVariant``, or is given one
    by weight. The fleet is twice as large as the spec's.

    Args:
        scope: Where it belongs.
        id: Its id there.
        spec: A spec with one variant that serves the model itself, or the path of its file.
        control: Routing of ``control``. Default: RANDOM, which is SageMaker's own default.
        treatment: Routing of ``treatment``. Default: the spec's.
        control_weight: Share of the requests that name no variant.
        treatment_weight: Share of the requests that name no variant.
        dashboard_name: Name of the dashboard. Default: CloudFormation makes one.
        constructs: Constructs in the place of fields of the spec, see ``SpecConstructs``.

    Raises:
        DocumentError: The file cannot be read.
        InvalidSettingsError: The spec has errors or does not fit an experiment, or both routings are the same.
        IncompleteSpecError: The region of an image is not known, or the spec's is not the stack's.
        UnsupportedByTargetError: The spec uses what CloudFormation does not know yet.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        spec: EndpointSpec | str | Path,
        control: RoutingConfig | None = None,
        treatment: RoutingConfig | None = None,
        control_weight: float = 1,
        treatment_weight: float = 1,
        dashboard_name: str | None = None,
        **constructs: Unpack[SpecConstructs],
    ) -> None:
        path = path_of(scope.node.path, id)
        document = spec_of(spec, path)
        with named(path):
            self.spec = with_routing_experiment(
                document,
                control=control or RoutingConfig.random(),
                treatment=treatment or document.variants[0].routing_config or RoutingConfig.random(),
                control_weight=control_weight,
                treatment_weight=treatment_weight,
            )
        super().__init__(scope, id)
        self.endpoint = VllmEndpoint(self, "Endpoint", spec=self.spec, **constructs)
        arms = {name: VariantMetrics(self.endpoint.endpoint_name, name) for name in (CONTROL, TREATMENT)}
        self.dashboard = EndpointDashboard(
            self,
            "Dashboard",
            endpoint=self.endpoint,
            dashboard_name=dashboard_name,
            first_rows=[*_comparison(arms, per_instance=enhanced(self.spec))],
        )


def _comparison(arms: dict[str, VariantMetrics], *, per_instance: bool) -> Iterator[Sequence[IWidget | Graph]]:
    yield [heading("Control and treatment")]
    yield [
        Graph(
            f"Model latency {statistic}, ms",
            [milliseconds(metrics.metric_model_latency(statistic), name) for name, metrics in arms.items()],
        )
        for statistic in PERCENTILES
    ]
    compared = [
        Graph(
            "Overhead latency, mean, ms",
            [milliseconds(metrics.metric_overhead_latency(), name) for name, metrics in arms.items()],
        ),
        Graph("Requests a minute", [metrics.metric_invocations(label=name) for name, metrics in arms.items()]),
        Graph("5XX a minute", [metrics.metric_invocation_5xx_errors(label=name) for name, metrics in arms.items()]),
    ]
    if per_instance:
        skew = [hot_instance(metrics, name) for name, metrics in arms.items()]
        compared.append(Graph("Busiest instance over the mean", skew))
    yield compared
