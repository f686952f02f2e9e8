"""The metrics are those that SageMaker publishes, and no others can be asked for."""

from __future__ import annotations

import inspect

import pytest
from aws_cdk import App, Duration, Stack
from cdk.published import PUBLISHED
from cdk.synthesis import known

from warmroute_cdk import ComponentMetrics, VariantMetrics, VllmEndpoint, metrics
from warmroute_cdk.metrics import METRICS, Level, UnknownMetricError, search, series

VARIANT = VariantMetrics("bot", "main")
COMPONENT = ComponentMetrics("llama")


@pytest.mark.parametrize("of", [VARIANT, COMPONENT], ids=["variant", "component"])
def test_every_method_gives_a_series_that_exists(of):
    methods = [name for name, _ in inspect.getmembers(type(of), inspect.isfunction) if name.startswith("metric_")]
    assert len(methods) > 9
    for name in methods:
        if name == "metric_serving":
            continue
        metric = getattr(of, name)()
        statistics, levels = PUBLISHED[metric.namespace, metric.metric_name]
        assert metric.statistic in statistics
        assert frozenset(metric.dimensions) in levels


def test_the_table_agrees_with_the_guide():
    by_name = {(str(each.namespace), each.name): each for each in METRICS}
    for name, (statistics, levels) in PUBLISHED.items():
        assert all(
            by_name[name].has(each, Level.VARIANT) for each in statistics if frozenset(Level.VARIANT.value) in levels
        )
        assert {frozenset(level.value) for level in by_name[name].levels} >= levels


@pytest.mark.parametrize(
    ("kind", "statistic", "dimensions"),
    [
        (metrics.CONCURRENT_REQUESTS_PER_MODEL, "Average", VARIANT.dimensions),
        (metrics.CONCURRENT_REQUESTS_PER_MODEL, "Maximum", {**VARIANT.dimensions, "InstanceId": "i-1"}),
        (metrics.CONCURRENT_REQUESTS_PER_MODEL, "Maximum", COMPONENT.dimensions),
        (metrics.OVERHEAD_LATENCY, "p90", VARIANT.dimensions),
        (metrics.INVOCATIONS, "Sum", {"EndpointName": "bot"}),
        (metrics.MID_STREAM_ERRORS, "Sum", COMPONENT.dimensions),
        (metrics.MODEL_LATENCY, "p101", VARIANT.dimensions),
    ],
)
def test_what_sagemaker_does_not_publish_is_refused(kind, statistic, dimensions):
    with pytest.raises(UnknownMetricError, match=rf"^{kind.name}: SageMaker publishes no {statistic} by .* It has "):
        series(kind, statistic, dimensions)
    if len(dimensions) == 3:
        with pytest.raises(UnknownMetricError):
            search(kind, statistic, Level.INSTANCE, {}, Duration.minutes(1))


def test_period_and_label_are_the_caller_s():
    metric = VARIANT.metric_model_latency("p99", period=Duration.seconds(300), label="slow")
    assert (metric.period.to_seconds(), metric.label, metric.statistic) == (300, "slow", "p99")


def test_an_endpoint_gives_its_metrics():
    endpoint = known("demo")[0]
    assert Stack.of(endpoint).resolve(endpoint.variant("main").metric_invocations().dimensions)["EndpointName"] == {
        "Fn::GetAtt": [Stack.of(endpoint).get_logical_id(endpoint.cfn_endpoint), "EndpointName"]
    }
    imported = VllmEndpoint.from_endpoint_name(Stack(App(), "Other"), "Bot", "bot")
    assert imported.variant("main").metric_invocations().dimensions == VARIANT.dimensions
    assert imported.component("llama").metric_invocations().dimensions == COMPONENT.dimensions
