"""One endpoint, two variants, one difference."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from cdk.published import titles_of, unknown_series, widgets_of
from cdk.synthesis import lint, resources_of, template_of
from render.specs import SPECS, demo

from warmroute import InvalidSettingsError, RoutingConfig
from warmroute_cdk import RoutingExperiment


def experiment(spec: Any, **given: Any) -> RoutingExperiment:
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    return RoutingExperiment(stack, "Trial", spec=spec, **given)


@cache
def standard() -> dict[str, Any]:
    spec = demo(metrics_config={"enable_enhanced_metrics": True})
    return template_of(experiment(spec, control_weight=9, treatment_weight=1))


def test_the_variants_differ_in_routing_and_weight_alone():
    (configuration,) = resources_of(standard(), "AWS::SageMaker::EndpointConfig")
    control, treatment = configuration["Properties"]["ProductionVariants"]
    differing = {key for key in control | treatment if control.get(key) != treatment.get(key)}
    assert differing == {"VariantName", "RoutingConfig", "InitialVariantWeight"}
    assert (control["VariantName"], treatment["VariantName"]) == ("control", "treatment")
    assert control["RoutingConfig"] == {"RoutingStrategy": "RANDOM"}
    assert treatment["RoutingConfig"]["PrefixAwareRoutingConfig"] == {"PrefixLength": 4096, "ConcurrencyThreshold": 16}
    assert (control["InitialVariantWeight"], treatment["InitialVariantWeight"]) == (9, 1)


def test_the_dashboard_compares_them_first():
    assert titles_of(standard())[:7] == [
        "Model latency p50, ms",
        "Model latency p90, ms",
        "Model latency p99, ms",
        "Overhead latency, mean, ms",
        "Requests a minute",
        "5XX a minute",
        "Busiest instance over the mean",
    ]
    first = next(each for each in widgets_of(standard()) if each["properties"].get("title") == "Model latency p50, ms")
    lines = [line[0]["label"] for line in first["properties"]["metrics"] if isinstance(line[0], dict)]
    assert lines == ["control", "treatment"]
    assert unknown_series(standard()) == []
    assert lint(standard()) == []


def test_either_routing_can_be_given():
    given = experiment(
        SPECS["demo"],
        control=RoutingConfig.least_outstanding_requests(),
        treatment=RoutingConfig.prefix_aware(prefix_length=8_192, concurrency_threshold=32),
    )
    assert [each.routing_config.routing_strategy for each in given.spec.variants] == [
        "LEAST_OUTSTANDING_REQUESTS",
        "PREFIX_AWARE",
    ]


def test_a_mistake_names_the_construct():
    with pytest.raises(InvalidSettingsError, match=r"^Test/Trial: .*an experiment begins with one variant, not 3"):
        experiment(SPECS["autoscaled"])
