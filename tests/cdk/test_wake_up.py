"""A component that scales to zero copies is started again by the request that finds none."""

from __future__ import annotations

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Annotations, Match
from cdk.sleeping import SLEEPING
from cdk.synthesis import endpoint_of, known, lint, resources_of, template_of

from warmroute import InvalidSettingsError
from warmroute.hosting import EndpointSpec


def test_an_alarm_on_refused_requests_starts_one_copy():
    endpoint = endpoint_of(SLEEPING)
    template = template_of(endpoint)

    (alarm,) = resources_of(template, "AWS::CloudWatch::Alarm")
    step = next(
        name for name, each in template["Resources"].items() if each["Properties"].get("PolicyType") == "StepScaling"
    )
    policy = template["Resources"][step]
    assert alarm["Properties"]["AlarmActions"] == [{"Ref": step}]
    assert alarm["Properties"]["MetricName"] == "NoCapacityInvocationFailures"
    assert alarm["Properties"]["Dimensions"] == [{"Name": "InferenceComponentName", "Value": "llama"}]
    assert policy["Properties"]["StepScalingPolicyConfiguration"]["StepAdjustments"] == [
        {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}
    ]
    (target,) = (name for name, each in template["Resources"].items() if "MinCapacity" in each["Properties"])
    assert policy["DependsOn"] == [target]
    assert policy["Properties"]["ResourceId"] == template["Resources"][target]["Properties"]["ResourceId"]
    assert template["Resources"][target]["Properties"]["MinCapacity"] == 0
    assert lint(template) == []
    assert list(endpoint.wake_ups) == ["llama"]
    assert Annotations.from_stack(Stack.of(endpoint)).find_warning("*", Match.any_value()) == []


def test_without_it_the_spec_s_warning_is_said():
    endpoint = endpoint_of(SLEEPING, scale_from_zero=False)
    assert resources_of(template_of(endpoint), "AWS::CloudWatch::Alarm") == []
    Annotations.from_stack(Stack.of(endpoint)).has_warning("*", Match.string_like_regexp("WR511"))


def test_components_that_keep_a_copy_need_none():
    assert known("components")[0].wake_ups == {}


def test_a_variant_with_a_model_cannot_scale_to_zero():
    spec = SLEEPING.model_dump(exclude_none=True, exclude={"inference_components"})
    spec["auto_scaling"] = [{"variant_name": "main", "min_capacity": 0, "max_capacity": 4}]
    with pytest.raises(InvalidSettingsError, match="0 is below 1 instance"):
        EndpointSpec.parse(spec)
