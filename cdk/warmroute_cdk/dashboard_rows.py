"""The rows of a dashboard: what is shown of one variant, and of one inference component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_cdk.aws_cloudwatch import GraphWidget, HorizontalAnnotation, MathExpression, TextWidget, YAxisProps

from warmroute_cdk.metrics import DISK_UTILIZATION, GPU_UTILIZATION, INVOCATIONS, MINUTE, Level, milliseconds, search

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aws_cdk.aws_cloudwatch import IMetric, IWidget

    from warmroute_cdk.endpoint_metrics import RequestMetrics, VariantMetrics
    from warmroute_cdk.metrics import MetricKind
    from warmroute_cdk.watched import WatchedComponent, WatchedVariant

PERCENTILES = ("p50", "p90", "p99")
COLUMNS = 24
"""Of a dashboard. Source: CloudWatch dashboard body structure."""


def variant_rows(watched: WatchedVariant, *, per_instance: bool) -> Iterator[Sequence[IWidget | Graph]]:
    """Traffic, latency, pressure, GPUs and fleet of a variant, as far as it has them.

    Args:
        watched: The variant.
        per_instance: Whether there are series per instance.
    """
    metrics, name = watched.metrics, watched.name
    yield [heading(f"Variant {name}" + ("" if watched.takes_traffic else " (shadow)"))]
    if watched.takes_requests:
        traffic = [Graph("Requests a minute", [metrics.metric_invocations(label="requests")]), _errors(metrics)]
        yield [*traffic, *(_shares(metrics) if per_instance and watched.has_instances else ())]
        yield [latency_graph(metrics), overhead_graph(metrics)]
        yield _pressure(watched)
    if watched.has_instances:
        yield _hardware(watched, per_instance=per_instance)


def component_rows(watched: WatchedComponent) -> Iterator[Sequence[IWidget | Graph]]:
    """Traffic, latency, pressure and copies of an inference component.

    Args:
        watched: The component.
    """
    metrics = watched.metrics
    yield [heading(f"{'Adapter' if watched.is_adapter else 'Component'} {watched.name}")]
    yield [Graph("Requests a minute", [metrics.metric_invocations(label="requests")]), _errors(metrics)]
    yield [latency_graph(metrics), overhead_graph(metrics)]
    if watched.is_adapter:
        return
    line = _line(watched.threshold, "concurrency_threshold") if watched.threshold else []
    requests = [metrics.metric_concurrent_requests(label="most")]
    serving: list[IMetric] = [
        metrics.metric_serving(label="copies"),
        metrics.metric_no_capacity_invocation_failures(label="refused"),
    ]
    yield [Graph("Requests in flight on a copy", requests, line), Graph("Copies that serve", serving)]
    if watched.uses_gpus:
        used = metrics.metric_gpu_utilization(label="GPUs"), metrics.metric_gpu_memory_utilization(label="memory")
        yield [Graph("GPUs, percent", used)]


def heading(text: str) -> TextWidget:
    """A line of text above the rows of one thing.

    Args:
        text: What it is.
    """
    return TextWidget(markdown=f"## {text}", width=COLUMNS, height=1)


def latency_graph(metrics: RequestMetrics) -> Graph:
    """Percentiles of the model's latency.

    Args:
        metrics: Whose.
    """
    lines = [milliseconds(metrics.metric_model_latency(each), each) for each in PERCENTILES]
    return Graph("Model latency, ms", lines)


def overhead_graph(metrics: RequestMetrics) -> Graph:
    """What SageMaker adds to the latency, its routing among it.

    Args:
        metrics: Whose.
    """
    lines = [
        milliseconds(metrics.metric_overhead_latency(statistic), label)
        for statistic, label in (("Average", "mean"), ("Maximum", "most"))
    ]
    return Graph("Overhead latency, ms", lines)


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph over time, before it has its place in a row."""

    title: str
    """What it shows, with its unit."""

    lines: Sequence[IMetric]
    marks: Sequence[HorizontalAnnotation] = ()
    """Horizontal lines."""


def widgets_of(row: Sequence[IWidget | Graph], region: str | None) -> list[IWidget]:
    """The widgets of a row: its graphs side by side, each with an axis that begins at zero.

    Args:
        row: Graphs, or widgets that stay as they are.
        region: Region of the metrics. Default: that of the dashboard's stack.
    """
    return [
        GraphWidget(
            title=each.title,
            region=region,
            left=list(each.lines),
            left_annotations=list(each.marks),
            left_y_axis=YAxisProps(min=0, show_units=False),
            width=COLUMNS // len(row),
            height=6,
        )
        if isinstance(each, Graph)
        else each
        for each in row
    ]


def hot_instance(metrics: VariantMetrics, label: str) -> MathExpression:
    """Requests of the busiest instance over the mean of those that had any; 1 is even.

    Args:
        metrics: The variant's.
        label: What a legend calls it.
    """
    found = _per_instance(metrics, INVOCATIONS, "Sum")
    return MathExpression(expression=f"MAX({found}) / AVG({found})", label=label, period=MINUTE)


def _errors(metrics: RequestMetrics) -> Graph:
    lines = [
        metrics.metric_invocation_4xx_errors(label="4XX"),
        metrics.metric_invocation_5xx_errors(label="5XX"),
        metrics.metric_invocation_model_errors(label="model"),
    ]
    streams = getattr(metrics, "metric_mid_stream_errors", None)
    return Graph("Errors a minute", [*lines, streams(label="mid-stream")] if streams else lines)


def _shares(metrics: VariantMetrics) -> list[Graph]:
    found = _per_instance(metrics, INVOCATIONS, "Sum")
    share = MathExpression(expression=f"100 * {found} / SUM({found})", label="", period=MINUTE)
    return [
        Graph("Share of requests per instance, percent", [share]),
        Graph("Busiest instance over the mean", [hot_instance(metrics, "max / mean")], _line(1.5, "uneven")),
    ]


def _pressure(watched: WatchedVariant) -> list[Graph]:
    metrics = watched.metrics
    lines: list[IMetric] = [metrics.metric_concurrent_requests(label="most")]
    marks: list[HorizontalAnnotation] = []
    count = watched.variant.initial_instance_count or 1
    if watched.threshold and watched.may_scale:
        serving = metrics.metric_serving()
        label = f"instances x concurrency_threshold {watched.threshold}"
        capacity = f"serving * {watched.threshold}"
        using = {"serving": serving}
        lines.append(MathExpression(expression=capacity, using_metrics=using, label=label, period=MINUTE))
    elif watched.threshold:
        label = f"{count} instances x concurrency_threshold {watched.threshold}"
        marks = _line(count * watched.threshold, label)
    graphs = [Graph("Requests in flight", lines, marks)]
    if watched.has_instances:
        graphs.append(Graph("Instances that serve", [metrics.metric_serving(label="instances")]))
    return graphs


def _hardware(watched: WatchedVariant, *, per_instance: bool) -> list[Graph]:
    metrics, gpus = watched.metrics, watched.gpu_count
    graphs: list[Graph] = []
    if gpus:
        used = metrics.metric_gpu_utilization(), metrics.metric_gpu_memory_utilization()
        lines = [
            MathExpression(expression=f"{id_} / {gpus}", using_metrics={id_: each}, label=label, period=MINUTE)
            for each, id_, label in zip(used, ("gpus", "memory"), ("GPUs", "GPU memory"), strict=True)
        ]
        graphs.append(Graph("GPUs, percent", lines))
    if gpus and per_instance:
        each = f"{_per_instance(metrics, GPU_UTILIZATION, 'Average')} / {gpus}"
        graphs.append(Graph("GPUs per instance, percent", [MathExpression(expression=each, label="", period=MINUTE)]))
    fullest = metrics.metric(DISK_UTILIZATION, "Maximum", label="fullest")
    return [*graphs, Graph("Disks, percent", [fullest], _line(75, "data capture stops"))]


def _per_instance(metrics: VariantMetrics, kind: MetricKind, statistic: str) -> str:
    return search(kind, statistic, Level.INSTANCE, metrics.dimensions, MINUTE)


def _line(value: float, label: str) -> list[HorizontalAnnotation]:
    return [HorizontalAnnotation(value=value, label=label)]
