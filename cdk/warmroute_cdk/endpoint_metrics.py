"""The metrics of one variant, and of one inference component, as the CDK's ``metric_*`` methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk.aws_cloudwatch import MathExpression

from warmroute_cdk import metrics as known
from warmroute_cdk.metrics import MINUTE, series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import Duration
    from aws_cdk.aws_cloudwatch import Metric

    from warmroute_cdk.metrics import MetricKind


class RequestMetrics:
    """The metrics that a variant and a component both have.

    Args:
        dimensions: Values by dimension.
    """

    PER_SERVER: MetricKind
    CONCURRENCY: MetricKind

    def __init__(self, dimensions: Mapping[str, str]) -> None:
        self.dimensions = dict(dimensions)

    def metric(
        self, kind: MetricKind, statistic: str, *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Any metric that SageMaker publishes of it.

        Args:
            kind: The metric, one of ``warmroute_cdk.metrics``.
            statistic: A statistic that it has.
            period: Length of a data point.
            label: What a legend calls it. Default: CloudWatch's own.

        Raises:
            UnknownMetricError: SageMaker publishes no such series.
        """
        return series(kind, statistic, self.dimensions, period=period, label=label)

    def metric_invocations(self, *, period: Duration = MINUTE, label: str | None = None) -> Metric:
        """Requests."""
        return self.metric(known.INVOCATIONS, "Sum", period=period, label=label)

    def metric_invocation_4xx_errors(
        self, statistic: str = "Sum", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Answers with a status of 400 to 499."""
        return self.metric(known.INVOCATION_4XX_ERRORS, statistic, period=period, label=label)

    def metric_invocation_5xx_errors(
        self, statistic: str = "Sum", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Answers with a status of 500 to 599."""
        return self.metric(known.INVOCATION_5XX_ERRORS, statistic, period=period, label=label)

    def metric_invocation_model_errors(
        self, statistic: str = "Sum", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Requests that the container answered with no 2XX status, or not in time."""
        return self.metric(known.INVOCATION_MODEL_ERRORS, statistic, period=period, label=label)

    def metric_model_latency(
        self, statistic: str = "p90", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Microseconds from the container's receipt of a request to its answer."""
        return self.metric(known.MODEL_LATENCY, statistic, period=period, label=label)

    def metric_overhead_latency(
        self, statistic: str = "Average", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Microseconds that SageMaker adds, its routing among them."""
        return self.metric(known.OVERHEAD_LATENCY, statistic, period=period, label=label)

    def metric_concurrent_requests(
        self, statistic: str = "Maximum", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Requests in flight: on the whole variant, or on one copy of a component."""
        return self.metric(self.CONCURRENCY, statistic, period=period, label=label)

    def metric_serving(self, *, period: Duration = MINUTE, label: str | None = None) -> MathExpression:
        """Instances, or copies, that requests were spread over; no data where there were no requests.

        SageMaker publishes no such count, but each request over the number of instances that serve it, as
        ``InvocationsPerInstance`` or ``InvocationsPerCopy``: the quotient of the sums is the count.
        """
        requests, each = self.metric_invocations(period=period), self.metric(self.PER_SERVER, "Sum", period=period)
        return MathExpression(
            expression="requests / each", using_metrics={"requests": requests, "each": each}, label=label, period=period
        )


class VariantMetrics(RequestMetrics):
    """The metrics of one variant.

    Args:
        endpoint_name: Name of the endpoint; may be a token.
        variant_name: Name of the variant.
    """

    PER_SERVER = known.INVOCATIONS_PER_INSTANCE
    CONCURRENCY = known.CONCURRENT_REQUESTS_PER_MODEL

    def __init__(self, endpoint_name: str, variant_name: str) -> None:
        super().__init__({"EndpointName": endpoint_name, "VariantName": variant_name})

    def metric_mid_stream_errors(self, *, period: Duration = MINUTE, label: str | None = None) -> Metric:
        """Streamed answers that broke off after they began."""
        return self.metric(known.MID_STREAM_ERRORS, "Sum", period=period, label=label)

    def metric_disk_utilization(
        self, statistic: str = "Maximum", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Percent of the disk space in use."""
        return self.metric(known.DISK_UTILIZATION, statistic, period=period, label=label)

    def metric_gpu_utilization(
        self, statistic: str = "Average", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Percent of one GPU in use, summed over the GPUs of an instance: up to 800 on eight."""
        return self.metric(known.GPU_UTILIZATION, statistic, period=period, label=label)

    def metric_gpu_memory_utilization(
        self, statistic: str = "Average", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Percent of one GPU's memory in use, summed over the GPUs. vLLM takes nearly all of it at its start."""
        return self.metric(known.GPU_MEMORY_UTILIZATION, statistic, period=period, label=label)


class ComponentMetrics(RequestMetrics):
    """The metrics of one inference component.

    Args:
        component_name: Name of the component.
    """

    PER_SERVER = known.INVOCATIONS_PER_COPY
    CONCURRENCY = known.CONCURRENT_REQUESTS_PER_COPY

    def __init__(self, component_name: str) -> None:
        super().__init__({"InferenceComponentName": component_name})

    def metric_no_capacity_invocation_failures(self, *, period: Duration = MINUTE, label: str | None = None) -> Metric:
        """Requests refused because no copy ran."""
        return self.metric(known.NO_CAPACITY_INVOCATION_FAILURES, "Sum", period=period, label=label)

    def metric_gpu_utilization(
        self, statistic: str = "Average", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Percent of its GPUs in use, 0 to 100."""
        return self.metric(known.COMPONENT_GPU_UTILIZATION, statistic, period=period, label=label)

    def metric_gpu_memory_utilization(
        self, statistic: str = "Average", *, period: Duration = MINUTE, label: str | None = None
    ) -> Metric:
        """Percent of its GPUs' memory in use, 0 to 100. vLLM takes nearly all of it at its start."""
        return self.metric(known.COMPONENT_GPU_MEMORY_UTILIZATION, statistic, period=period, label=label)
