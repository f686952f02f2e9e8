"""The dashboard shows what a spec has, and nothing that SageMaker does not publish."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from cdk.published import series_of, titles_of, unknown_series, widgets_of
from cdk.sleeping import SLEEPING
from cdk.synthesis import lint, resources_of, template_of
from render.specs import SPECS, demo, demo_variant

from warmroute import IncompleteSpecError
from warmroute_cdk import EndpointAlarms, EndpointDashboard, VllmEndpoint

ENHANCED = {"metrics_config": {"enable_enhanced_metrics": True}}
SPECS_BY_NAME = {**SPECS, "sleeping": SLEEPING, "enhanced": demo(**ENHANCED)}


def template_for(spec: Any, **given: Any) -> dict[str, Any]:
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    return template_of(EndpointDashboard(stack, "Dashboard", spec=spec, **given))


@cache
def standard(name: str) -> dict[str, Any]:
    return template_for(SPECS_BY_NAME[name])


def graph(template: dict[str, Any], title: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each["properties"] for each in widgets_of(template) if each["properties"].get("title") == title
    )
    return found


@pytest.mark.parametrize("name", SPECS_BY_NAME)
def test_every_line_exists_and_lints(name):
    template = standard(name)
    assert len(series_of(template)) > 10
    assert unknown_series(template) == []
    assert lint(template) == []


def test_rows_of_a_variant():
    assert titles_of(standard("demo")) == [
        "Requests a minute",
        "Errors a minute",
        "Model latency, ms",
        "Overhead latency, ms",
        "Requests in flight",
        "Instances that serve",
        "GPUs, percent",
        "Disks, percent",
    ]


def test_series_per_instance_need_enhanced_metrics():
    extra = [title for title in titles_of(standard("enhanced")) if title not in titles_of(standard("demo"))]
    assert extra == [
        "Share of requests per instance, percent",
        "Busiest instance over the mean",
        "GPUs per instance, percent",
    ]
    (line,) = graph(standard("enhanced"), "Busiest instance over the mean")["metrics"][0]
    search = (
        'SEARCH(\'{AWS/SageMaker,EndpointName,VariantName,InstanceId} MetricName="Invocations" '
        'EndpointName="support-bot" VariantName="main"\', \'Sum\', 60)'
    )
    assert line["expression"] == f"MAX({search}) / AVG({search})"


def test_requests_in_flight_have_a_line_where_they_overflow():
    (mark,) = graph(standard("demo"), "Requests in flight")["annotations"]["horizontal"]
    assert mark["value"] == 7 * 16
    assert mark["label"] == "7 instances x concurrency_threshold 16"


def test_the_line_follows_a_fleet_that_scales():
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9}]
    lines = graph(template_for(demo(auto_scaling=scaling)), "Requests in flight")["metrics"]
    assert "serving * 16" in [line[0]["expression"] for line in lines if isinstance(line[0], dict)]


def test_requests_in_flight_of_a_component_are_per_copy():
    (mark, *_) = graph(standard("components"), "Requests in flight on a copy")["annotations"]["horizontal"]
    assert mark["value"] == 10


def test_gpu_utilisation_is_divided_by_the_gpus_where_they_are_known():
    lines = graph(standard("demo"), "GPUs, percent")["metrics"]
    assert [line[0]["expression"] for line in lines if isinstance(line[0], dict)] == ["gpus / 8", "memory / 8"]
    mixed = demo(
        model={"source": {"s3_prefix": "s3://models/a/"}, "vllm": {"tensor_parallel_size": 1}},
        variants=[
            {
                **{key: value for key, value in demo_variant().items() if key != "instance_type"},
                "instance_pools": [
                    {"instance_type": "ml.p5.48xlarge", "priority": 1},
                    {"instance_type": "ml.g6e.4xlarge", "priority": 2},
                ],
            }
        ],
    )
    assert "GPUs, percent" not in titles_of(template_for(mixed))


def test_a_spec_without_instances_has_no_hardware():
    titles = titles_of(standard("serverless"))
    assert not [title for title in titles if title.startswith(("GPU", "Disk", "Instances"))]


def test_an_adapter_has_no_copies_of_its_own():
    widgets = widgets_of(standard("components"))
    texts = [each["properties"].get("markdown") or each["properties"]["title"] for each in widgets]
    adapter = texts.index("## Adapter legal-adapter")
    assert texts[adapter + 1 : adapter + 6] == [
        "Requests a minute",
        "Errors a minute",
        "Model latency, ms",
        "Overhead latency, ms",
        "## Component llama",
    ]


def test_no_two_widgets_overlap_or_leave_the_grid():
    taken = set()
    for each in widgets_of(standard("everything")):
        cells = {
            (x, y)
            for x in range(each["x"], each["x"] + each["width"])
            for y in range(each["y"], each["y"] + each["height"])
        }
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_alarms_are_shown_beside_the_endpoint_that_is_made():
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"])
    alarms = EndpointAlarms(stack, "Alarms", endpoint=endpoint)
    EndpointDashboard(stack, "Dashboard", endpoint=endpoint, alarms=alarms, dashboard_name="bot")
    template = template_of(endpoint)
    assert next(each for each in widgets_of(template) if each["type"] == "alarm")["properties"]["alarms"]
    assert resources_of(template, "AWS::CloudWatch::Dashboard")[0]["Properties"]["DashboardName"] == "bot"
    assert unknown_series(template) == []
    assert lint(template) == []


def test_something_must_be_shown():
    with pytest.raises(IncompleteSpecError, match=r"^Dashboard: nothing says what to watch"):
        EndpointDashboard(App(), "Dashboard")
