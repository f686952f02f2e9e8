"""Every series that the alarms and dashboards of a template ask for, to be held against what SageMaker publishes."""

from __future__ import annotations

import json
import re
from typing import Any

from cdk.synthesis import resources_of

# Written out here once more, from the SageMaker guide: a wrong table in the constructs must not agree with itself.
_VARIANT = frozenset({"EndpointName", "VariantName"})
_INSTANCE = _VARIANT | {"InstanceId"}
_COMPONENT = frozenset({"InferenceComponentName"})
_SPREAD = {"Average", "Sum", "Minimum", "Maximum", "SampleCount"}
_REQUEST = {_VARIANT, _INSTANCE, _COMPONENT}
PUBLISHED: dict[tuple[str, str], tuple[set[str], set[frozenset[str]]]] = {
    ("AWS/SageMaker", "Invocations"): ({"Sum"}, _REQUEST),
    ("AWS/SageMaker", "InvocationsPerInstance"): ({"Sum"}, {_VARIANT, _INSTANCE}),
    ("AWS/SageMaker", "InvocationsPerCopy"): ({"Sum"}, {_COMPONENT}),
    ("AWS/SageMaker", "Invocation4XXErrors"): ({"Average", "Sum"}, _REQUEST),
    ("AWS/SageMaker", "Invocation5XXErrors"): ({"Average", "Sum"}, _REQUEST),
    ("AWS/SageMaker", "InvocationModelErrors"): ({"Average", "Sum"}, _REQUEST),
    ("AWS/SageMaker", "ModelLatency"): (_SPREAD | {"p50", "p90", "p99"}, _REQUEST),
    ("AWS/SageMaker", "OverheadLatency"): (_SPREAD, _REQUEST),
    ("AWS/SageMaker", "ConcurrentRequestsPerModel"): ({"Minimum", "Maximum"}, {_VARIANT}),
    ("AWS/SageMaker", "ConcurrentRequestsPerCopy"): ({"Minimum", "Maximum"}, {_COMPONENT}),
    ("AWS/SageMaker", "MidStreamErrors"): ({"Sum"}, {_VARIANT}),
    ("AWS/SageMaker", "NoCapacityInvocationFailures"): ({"Sum", "Maximum"}, {_COMPONENT}),
    ("/aws/sagemaker/Endpoints", "DiskUtilization"): ({"Average", "Maximum"}, {_VARIANT, _INSTANCE}),
    ("/aws/sagemaker/Endpoints", "GPUUtilization"): ({"Average", "Maximum"}, {_VARIANT, _INSTANCE}),
    ("/aws/sagemaker/Endpoints", "GPUMemoryUtilization"): ({"Average", "Maximum"}, {_VARIANT, _INSTANCE}),
    ("/aws/sagemaker/InferenceComponents", "GPUUtilizationNormalized"): ({"Average", "Maximum"}, {_COMPONENT}),
    ("/aws/sagemaker/InferenceComponents", "GPUMemoryUtilizationNormalized"): ({"Average", "Maximum"}, {_COMPONENT}),
}
VLLM = {
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
    "vllm:kv_cache_usage_perc",
    "vllm:gpu_cache_usage_perc",
}
LABELS = {
    "aws.sagemaker.endpoint.name",
    "aws.sagemaker.variant.name",
    "aws.sagemaker.inference_component.name",
    "aws.sagemaker.container.id",
    "@resource.host.id",
}

Series = tuple[str, str, str, frozenset[str]]


def unknown_series(template: dict[str, Any]) -> list[Series]:
    """What the template asks for and SageMaker does not publish."""
    return [each for each in series_of(template) if not _is_published(each)]


def series_of(template: dict[str, Any]) -> list[Series]:
    """Namespace, metric, statistic and dimensions of everything that alarms and dashboards ask for."""
    found = [each for alarm in resources_of(template, "AWS::CloudWatch::Alarm") for each in _of_alarm(alarm)]
    for widget in widgets_of(template):
        for line in widget["properties"].get("metrics", []):
            found += _of_line(line)
    return found


def widgets_of(template: dict[str, Any]) -> list[dict[str, Any]]:
    """The widgets of the template's one dashboard, with references as their resource's name."""
    (dashboard,) = resources_of(template, "AWS::CloudWatch::Dashboard") or [
        {"Properties": {"DashboardBody": '{"widgets":[]}'}}
    ]
    body = dashboard["Properties"]["DashboardBody"]
    if isinstance(body, dict):
        body = "".join(part if isinstance(part, str) else "reference" for part in body["Fn::Join"][1])
    widgets: list[dict[str, Any]] = json.loads(body)["widgets"]
    return widgets


def titles_of(template: dict[str, Any]) -> list[str]:
    """Titles of the graphs."""
    return [widget["properties"]["title"] for widget in widgets_of(template) if widget["type"] == "metric"]


def queries_of(template: dict[str, Any]) -> list[str]:
    """The PromQL of the alarms."""
    criteria = [
        each["Properties"].get("EvaluationCriteria") for each in resources_of(template, "AWS::CloudWatch::Alarm")
    ]
    return [each["PromQLCriteria"]["Query"] for each in criteria if each]


def _is_published(series: Series) -> bool:
    namespace, metric, statistic, dimensions = series
    statistics, levels = PUBLISHED.get((namespace, metric), (set(), set()))
    return statistic in statistics and dimensions in levels


def _of_alarm(alarm: dict[str, Any]) -> list[Series]:
    properties = alarm["Properties"]
    if "EvaluationCriteria" in properties:
        return []
    if "Metrics" not in properties:
        statistic = properties.get("Statistic") or properties["ExtendedStatistic"]
        return [_series(properties, statistic)]
    return [
        _series(each["MetricStat"]["Metric"], each["MetricStat"]["Stat"])
        for each in properties["Metrics"]
        if "MetricStat" in each
    ]


def _series(metric: dict[str, Any], statistic: str) -> Series:
    dimensions = frozenset(each["Name"] for each in metric["Dimensions"])
    return metric["Namespace"], metric["MetricName"], statistic, dimensions


def _of_line(line: list[Any]) -> list[Series]:
    if isinstance(line[0], dict):
        return [
            (match[1], match[3], match[4], frozenset(match[2].split(",")))
            for match in re.finditer(
                r"SEARCH\('\{([^,]+),([^}]+)\} MetricName=\"(\w+)\"[^']*', '(\w+)', \d+\)", line[0]["expression"]
            )
        ]
    options = line[-1] if isinstance(line[-1], dict) else {}
    names = [each for each in line if isinstance(each, str)]
    return [(names[0], names[1], options.get("stat", "Average"), frozenset(names[2::2]))]
