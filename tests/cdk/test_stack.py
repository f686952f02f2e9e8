"""The stack of one spec, and the app of ``cdk.json``."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Template
from aws_cdk.aws_iam import Role
from cdk.sleeping import SLEEPING
from cdk.synthesis import resources_of
from render.specs import DEMO, SPECS

from warmroute import IncompleteSpecError, InvalidSettingsError, RoutingConfig
from warmroute.render import UnsupportedByTargetError
from warmroute_cdk import EndpointStack, MetricAlarm, StackOptions
from warmroute_cdk.app import add_stack, main

if TYPE_CHECKING:
    from pathlib import Path

SPEC = SPECS["demo"]


def _stack(spec: Any) -> EndpointStack:
    return EndpointStack(App(), "Bot", spec=spec, env=Environment(region="us-east-1"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "endpoint.yaml"
    path.write_text(DEMO, encoding="utf-8")
    return path


def test_a_spec_and_its_file_give_the_same_stack(file):
    first, second, third = (Template.from_stack(_stack(spec)).to_json() for spec in (SPEC, file, str(file)))
    assert first == second == third
    assert {name: list(output["Value"]) for name, output in first["Outputs"].items()} == {
        "EndpointName": ["Fn::GetAtt"],
        "EndpointArn": ["Ref"],
    }


def test_the_stack_s_region_serves_a_spec_without_one():
    template = Template.from_stack(_stack(SPEC.model_copy(update={"region": None}))).to_json()
    (image,) = (
        resource["Properties"]["PrimaryContainer"]["Image"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::SageMaker::Model"
    )
    assert ".us-east-1." in image


def test_without_any_region_the_stack_says_so():
    with pytest.raises(IncompleteSpecError, match=r"^Bot/Endpoint: region: AWS keeps its vLLM image"):
        EndpointStack(App(), "Bot", spec=SPEC.model_copy(update={"region": None}))


def test_an_invalid_spec_fails_with_the_message_of_validate(file):
    file.write_text(DEMO.replace("prefix_length: 4096", "prefix_length: 900"), encoding="utf-8")
    with pytest.raises(InvalidSettingsError, match=r"^Bot: .*endpoint\.yaml: .*prefix_length: 900 is below 1,024"):
        _stack(file)


def test_what_cloudformation_does_not_know_is_refused():
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.kv_aware()})
    with pytest.raises(UnsupportedByTargetError, match="KV_AWARE"):
        _stack(SPEC.model_copy(update={"variants": (variant,)}))


def test_without_an_environment_the_stack_is_for_the_spec_s_region():
    assert EndpointStack(App(), "Bot", spec=SPEC).region == "us-east-1"


def test_a_stack_for_another_region_is_refused():
    with pytest.raises(IncompleteSpecError, match="Bot/Endpoint: the spec is for us-east-1, and the stack for eu-west"):
        EndpointStack(App(), "Bot", spec=SPEC, env=Environment(region="eu-west-1"))


class TestApp:
    """``cdk synth -c spec=endpoint.yaml``."""

    def test_the_stack_has_the_name_of_the_endpoint(self, file):
        assert add_stack(App(context={"spec": str(file)})).stack_name == "support-bot"

    def test_a_name_that_no_stack_may_have_is_completed(self, file):
        file.write_text(DEMO.replace("name: support-bot", "name: 70b-bot"), encoding="utf-8")
        stack = add_stack(App(context={"spec": str(file)}))
        assert (stack.stack_name, stack.endpoint.spec.name) == ("endpoint-70b-bot", "70b-bot")

    def test_a_spec_must_be_named(self):
        with pytest.raises(IncompleteSpecError, match="No spec is named"):
            add_stack(App())

    def test_a_mistake_ends_in_its_message(self, monkeypatch):
        app = App(context={"spec": "missing.yaml"})
        monkeypatch.setattr("warmroute_cdk.app.App", lambda: app)
        with pytest.raises(SystemExit, match=r"missing\.yaml: the file does not exist"):
            main()


class TestOptions:
    """What else a stack takes: options of the CDK's stack, constructs for its endpoint, settings of its alarms."""

    def test_each_reaches_its_construct(self):
        app = App()
        shared = Stack(app, "Shared", env=Environment(region="us-east-1"))
        stack = EndpointStack(
            app,
            "Bot",
            spec=SPEC,
            stack_name="support",
            termination_protection=True,
            role=Role.from_role_arn(shared, "Role", "arn:aws:iam::123456789012:role/another"),
            rollback_alarms=["mine"],
            roll_back_on_alarms=True,
            alarms={"server_errors": MetricAlarm(threshold=7)},
        )
        assert (stack.stack_name, stack.termination_protection) == ("support", True)
        template = Template.from_stack(stack).to_json()
        (model,) = resources_of(template, "AWS::SageMaker::Model")
        assert model["Properties"]["ExecutionRoleArn"] == "arn:aws:iam::123456789012:role/another"
        (endpoint,) = resources_of(template, "AWS::SageMaker::Endpoint")
        alarms = endpoint["Properties"]["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]
        assert alarms[0] == {"AlarmName": "mine"}
        assert len(alarms) == 4
        thresholds = [each["Properties"].get("Threshold") for each in resources_of(template, "AWS::CloudWatch::Alarm")]
        assert 7 in thresholds

    def test_a_component_may_be_left_asleep(self):
        stack = EndpointStack(App(), "Bot", spec=SLEEPING, scale_from_zero=False)
        assert stack.endpoint.wake_ups == {}

    def test_every_option_of_the_cdk_s_stack_is_typed(self):
        own = set(signature(Stack.__init__).parameters) - {"self", "scope", "id"}
        assert set(StackOptions.__annotations__) == own
