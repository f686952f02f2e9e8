"""A stack renders what the spec says, under the spec's own logical ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from aws_cdk import App, Environment
from aws_cdk.assertions import Template
from aws_cdk.aws_sagemaker import CfnEndpointConfig

from warmroute import IncompleteSpecError, InvalidSettingsError, RoutingConfig
from warmroute.demo import example_spec, example_spec_text
from warmroute.render import UnsupportedByTargetError, to_cloudformation
from warmroute_cdk import EndpointStack

if TYPE_CHECKING:
    from pathlib import Path

SPEC = example_spec()


def _stack(spec: Any) -> EndpointStack:
    return EndpointStack(App(), "Bot", spec=spec, env=Environment(region="us-east-1"))


def test_resources_are_those_of_the_cloudformation_rendering(tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    rendered = to_cloudformation(SPEC)

    for spec in (SPEC, file, str(file)):
        synthesised = Template.from_stack(_stack(spec)).to_json()
        assert synthesised["Resources"] == rendered["Resources"]
        assert synthesised["Outputs"] == rendered["Outputs"]


def test_every_resource_is_reachable_as_a_typed_construct() -> None:
    stack = _stack(SPEC)
    (logical_id,) = (
        name
        for name, resource in to_cloudformation(SPEC)["Resources"].items()
        if resource["Type"] == "AWS::SageMaker::EndpointConfig"
    )

    config = stack.template.get_resource(logical_id)
    assert isinstance(config, CfnEndpointConfig)
    config.add_property_override("ProductionVariants.0.InitialInstanceCount", 9)
    properties = Template.from_stack(stack).to_json()["Resources"][logical_id]["Properties"]
    assert properties["ProductionVariants"][0]["InitialInstanceCount"] == 9


def test_two_syntheses_give_the_same_template() -> None:
    assert Template.from_stack(_stack(SPEC)).to_json() == Template.from_stack(_stack(SPEC)).to_json()


def test_the_stack_s_region_serves_a_spec_without_one() -> None:
    template = Template.from_stack(_stack(SPEC.model_copy(update={"region": None}))).to_json()

    (image,) = (
        resource["Properties"]["PrimaryContainer"]["Image"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::SageMaker::Model"
    )
    assert ".us-east-1." in image


def test_an_invalid_spec_fails_with_the_message_of_validate(tmp_path: Path) -> None:
    file = tmp_path / "endpoint.yaml"
    file.write_text(example_spec_text().replace("prefix_length: 4096", "prefix_length: 900"), encoding="utf-8")

    with pytest.raises(InvalidSettingsError, match=r"prefix_length: 900 is below 1,024"):
        _stack(file)


def test_what_cloudformation_does_not_know_is_refused() -> None:
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.kv_aware()})

    with pytest.raises(UnsupportedByTargetError, match="KV_AWARE"):
        _stack(SPEC.model_copy(update={"variants": (variant,)}))


def test_without_an_environment_the_stack_is_for_the_spec_s_region() -> None:
    assert EndpointStack(App(), "Bot", spec=SPEC).region == "us-east-1"


def test_a_stack_for_another_region_is_refused() -> None:
    with pytest.raises(IncompleteSpecError, match="the spec is for us-east-1, and the stack for eu-west-1"):
        EndpointStack(App(), "Bot", spec=SPEC, env=Environment(region="eu-west-1"))
