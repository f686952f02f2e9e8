"""The CloudWatch metrics of an endpoint that exist: names, dimensions, units, statistics.

Source: SageMaker guide, "Amazon SageMaker AI metrics in Amazon CloudWatch". Nothing else is alarmed on or plotted.
There is no metric of prefix-aware decisions: no overflow count, no hit rate, no concurrency per instance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING

from aws_cdk import Duration
from aws_cdk.aws_cloudwatch import MathExpression, Metric

from warmroute.errors import WarmrouteError
from warmroute_cdk.failures import refused_by_cdk

if TYPE_CHECKING:
    from collections.abc import Mapping


class Namespace(StrEnum):
    """Where SageMaker publishes."""

    INVOCATION = "AWS/SageMaker"
    INSTANCE = "/aws/sagemaker/Endpoints"
    COMPONENT = "/aws/sagemaker/InferenceComponents"


class Level(Enum):
    """What a series is about: its dimensions. Per-instance and per-container series need enhanced metrics."""

    VARIANT = ("EndpointName", "VariantName")
    INSTANCE = ("EndpointName", "VariantName", "InstanceId")
    GPU = ("EndpointName", "VariantName", "InstanceId", "AcceleratorId")
    COMPONENT = ("InferenceComponentName",)
    CONTAINER = ("EndpointName", "VariantName", "InferenceComponentName", "InstanceId", "ContainerId")


class Unit(StrEnum):
    """What a value counts."""

    COUNT = "count"
    MICROSECONDS = "microseconds"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class MetricKind:
    """A metric that SageMaker publishes."""

    name: str
    unit: Unit
    statistics: frozenset[str]
    """Statistics that SageMaker documents; ``p`` stands for every percentile."""

    levels: frozenset[Level]
    """What it is published for."""

    namespace: Namespace = Namespace.INVOCATION

    def has(self, statistic: str, level: Level) -> bool:
        """Whether the metric exists at a level, with a statistic.

        Args:
            statistic: As CloudWatch spells it: ``Sum``, ``p90``.
            level: What the series is about.
        """
        kind = "p" if _PERCENTILE.fullmatch(statistic) else statistic
        return kind in self.statistics and level in self.levels


_PERCENTILE = re.compile(r"p\d{1,2}(\.\d+)?")
_SUM = frozenset({"Sum"})
_RATE = frozenset({"Average", "Sum"})
_SPREAD = frozenset({"Average", "Sum", "Minimum", "Maximum", "SampleCount"})
_RANGE = frozenset({"Minimum", "Maximum"})
_LOAD = frozenset({"Average", "Maximum"})
_V, _I, _G, _C, _K = Level.VARIANT, Level.INSTANCE, Level.GPU, Level.COMPONENT, Level.CONTAINER
_REQUEST = frozenset({_V, _I, _C, _K})
_HARDWARE = frozenset({_V, _I})

INVOCATIONS = MetricKind("Invocations", Unit.COUNT, _SUM, _REQUEST)
INVOCATIONS_PER_INSTANCE = MetricKind("InvocationsPerInstance", Unit.COUNT, _SUM, frozenset({_V, _I}))
INVOCATIONS_PER_COPY = MetricKind("InvocationsPerCopy", Unit.COUNT, _SUM, frozenset({_C}))
INVOCATION_4XX_ERRORS = MetricKind("Invocation4XXErrors", Unit.COUNT, _RATE, _REQUEST)
INVOCATION_5XX_ERRORS = MetricKind("Invocation5XXErrors", Unit.COUNT, _RATE, _REQUEST)
INVOCATION_MODEL_ERRORS = MetricKind("InvocationModelErrors", Unit.COUNT, _RATE, _REQUEST)
MODEL_LATENCY = MetricKind("ModelLatency", Unit.MICROSECONDS, _SPREAD | {"p"}, _REQUEST)
OVERHEAD_LATENCY = MetricKind("OverheadLatency", Unit.MICROSECONDS, _SPREAD, _REQUEST)
CONCURRENT_REQUESTS_PER_MODEL = MetricKind("ConcurrentRequestsPerModel", Unit.COUNT, _RANGE, frozenset({_V}))
CONCURRENT_REQUESTS_PER_COPY = MetricKind("ConcurrentRequestsPerCopy", Unit.COUNT, _RANGE, frozenset({_C}))
MID_STREAM_ERRORS = MetricKind("MidStreamErrors", Unit.COUNT, _SUM, frozenset({_V}))
NO_CAPACITY_INVOCATION_FAILURES = MetricKind(
    "NoCapacityInvocationFailures", Unit.COUNT, _SUM | {"Maximum"}, frozenset({_C})
)
CPU_UTILIZATION = MetricKind("CPUUtilization", Unit.PERCENT, _LOAD, _HARDWARE, Namespace.INSTANCE)
MEMORY_UTILIZATION = MetricKind("MemoryUtilization", Unit.PERCENT, _LOAD, _HARDWARE, Namespace.INSTANCE)
DISK_UTILIZATION = MetricKind("DiskUtilization", Unit.PERCENT, _LOAD, _HARDWARE, Namespace.INSTANCE)
GPU_UTILIZATION = MetricKind("GPUUtilization", Unit.PERCENT, _LOAD, _HARDWARE | {_G}, Namespace.INSTANCE)
GPU_MEMORY_UTILIZATION = MetricKind("GPUMemoryUtilization", Unit.PERCENT, _LOAD, _HARDWARE | {_G}, Namespace.INSTANCE)
COMPONENT_GPU_UTILIZATION = MetricKind(
    "GPUUtilizationNormalized", Unit.PERCENT, _LOAD, frozenset({_C}), Namespace.COMPONENT
)
COMPONENT_GPU_MEMORY_UTILIZATION = MetricKind(
    "GPUMemoryUtilizationNormalized", Unit.PERCENT, _LOAD, frozenset({_C}), Namespace.COMPONENT
)

METRICS = tuple(each for each in globals().copy().values() if isinstance(each, MetricKind))
"""Every metric that the constructs know."""

MINUTE = Duration.minutes(1)


class UnknownMetricError(WarmrouteError):
    """SageMaker publishes no such series, so that an alarm on it would never go off.

    Args:
        kind: The metric.
        statistic: The statistic that was asked for.
        dimensions: The dimensions that were asked for.
    """

    def __init__(self, kind: MetricKind, statistic: str, dimensions: tuple[str, ...]) -> None:
        statistics = ", ".join("percentiles (p90)" if each == "p" else each for each in sorted(kind.statistics))
        levels = "; ".join(", ".join(level.value) for level in Level if level in kind.levels)
        super().__init__(
            f"{kind.name}: SageMaker publishes no {statistic} by {', '.join(dimensions) or 'nothing'}.",
            f"It has {statistics} by {levels}.",
        )


def series(
    kind: MetricKind,
    statistic: str,
    dimensions: Mapping[str, str],
    *,
    period: Duration = MINUTE,
    label: str | None = None,
) -> Metric:
    """One series as CloudWatch stores it.

    Args:
        kind: The metric.
        statistic: A statistic that it has.
        dimensions: Values by dimension; together one of its levels.
        period: Length of a data point.
        label: What a legend calls it. Default: CloudWatch's own.

    Raises:
        UnknownMetricError: SageMaker publishes no such series.
        ConstructError: CloudWatch has no such period, or no such value of a dimension.
    """
    level = next((each for each in Level if set(each.value) == set(dimensions)), None)
    if level is None or not kind.has(statistic, level):
        raise UnknownMetricError(kind, statistic, tuple(dimensions))
    with refused_by_cdk(kind.name):
        return Metric(
            namespace=kind.namespace,
            metric_name=kind.name,
            dimensions_map=dict(dimensions),
            statistic=statistic,
            period=period,
            label=label,
        )


def search(kind: MetricKind, statistic: str, level: Level, dimensions: Mapping[str, str], period: Duration) -> str:
    """A search for every series of a level, for dashboards; CloudWatch accepts none in alarms.

    Args:
        kind: The metric.
        statistic: A statistic that it has.
        level: What each series is about.
        dimensions: The values that are known.
        period: Length of a data point.
    """
    series(kind, statistic, dict.fromkeys(level.value, "any"))
    schema = ",".join([kind.namespace, *level.value])
    known = " ".join(f'{name}="{value}"' for name, value in dimensions.items())
    seconds = int(period.to_seconds())
    return f"SEARCH('{{{schema}}} MetricName=\"{kind.name}\" {known}', '{statistic}', {seconds})"


def milliseconds(latency: Metric, label: str) -> MathExpression:
    """A latency, which SageMaker gives in microseconds, in milliseconds.

    Args:
        latency: The series.
        label: What a legend calls it.
    """
    # An id of its own: a graph may hold several.
    id_ = "microseconds_" + re.sub(r"\W", "_", label)
    return MathExpression(expression=f"{id_} / 1000", using_metrics={id_: latency}, label=label, period=MINUTE)
