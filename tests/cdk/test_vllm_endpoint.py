"""An endpoint as a whole: what users of other constructs miss, or complain of."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, Aspects, Environment, Stack, Tags
from aws_cdk.assertions import Annotations, Match, Template
from aws_cdk.aws_sagemaker import CfnEndpoint, CfnEndpointConfig, CfnInferenceComponent, CfnModel
from cdk.synthesis import endpoint_of, known, lint, resources_of, template_of
from render.specs import SPECS, WITHOUT_ROLE, demo, demo_variant

from warmroute import InvalidSettingsError, load_spec
from warmroute.hosting import EndpointSpec
from warmroute_cdk import EndpointStack, VllmEndpoint


@pytest.fixture(scope="session")
def without_role() -> tuple[VllmEndpoint, dict[str, Any]]:
    endpoint = endpoint_of(WITHOUT_ROLE)
    return endpoint, template_of(endpoint)


def properties(name: str, type_: str) -> dict[str, Any]:
    _, template = known(name)
    found: dict[str, Any] = resources_of(template, type_)[0]["Properties"]
    return found


def test_a_changed_configuration_is_made_beside_the_old_one():
    template = known("demo")[1]
    (config,) = resources_of(template, "AWS::SageMaker::EndpointConfig")
    (model,) = resources_of(template, "AWS::SageMaker::Model")
    assert "EndpointConfigName" not in config["Properties"]
    assert "ModelName" not in model["Properties"]
    used = properties("demo", "AWS::SageMaker::Endpoint")["EndpointConfigName"]
    assert used["Fn::GetAtt"][1] == "EndpointConfigName"


def test_logical_ids_stay_when_the_spec_changes_so_that_nothing_is_made_twice():
    changed = demo(variants=[demo_variant(initial_instance_count=3, routing_config={"routing_strategy": "RANDOM"})])
    assert template_of(endpoint_of(changed))["Resources"].keys() == known("demo")[1]["Resources"].keys()


def test_scaled_counts_survive_updates():
    assert properties("autoscaled", "AWS::SageMaker::Endpoint")["RetainAllVariantProperties"] is True


def test_guardrails_and_everything_else_of_the_spec_come_in_one_update():
    endpoint = properties("everything", "AWS::SageMaker::Endpoint")
    config = properties("everything", "AWS::SageMaker::EndpointConfig")
    policy = endpoint["DeploymentConfig"]["BlueGreenUpdatePolicy"]
    assert policy["TrafficRoutingConfiguration"]["Type"] == "CANARY"
    assert config["DataCaptureConfig"]["InitialSamplingPercentage"] == 20


def test_the_routing_is_always_written():
    (variant,) = properties("minimal", "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert variant["RoutingConfig"] == {"RoutingStrategy": "RANDOM"}


def test_the_image_decides_the_ami_where_the_spec_does_not():
    (variant,) = properties("demo", "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert variant["InferenceAmiVersion"] == "al2023-ami-sagemaker-inference-gpu-4-1"
    assert variant["ContainerStartupHealthCheckTimeoutInSeconds"] == 3600


def test_components_run_on_a_variant_without_a_model_and_with_a_role():
    config = properties("components", "AWS::SageMaker::EndpointConfig")
    assert "ModelName" not in config["ProductionVariants"][0]
    assert config["ExecutionRoleArn"]
    assert config["EnableNetworkIsolation"] is True
    assert config["VpcConfig"]["Subnets"] == ["subnet-0a1b2c3d", "subnet-1a2b3c4d"]


def test_scaling_goes_before_what_it_scales():
    template = known("autoscaled")[1]
    resources = template["Resources"]
    (policy,) = resources_of(template, "AWS::ApplicationAutoScaling::ScalingPolicy")
    (endpoint,) = (name for name, each in resources.items() if each["Type"] == "AWS::SageMaker::Endpoint")
    (target,) = policy["DependsOn"]
    assert resources[target]["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    parts = resources[target]["Properties"]["ResourceId"]["Fn::Join"][1]
    assert parts == ["endpoint/", {"Fn::GetAtt": [endpoint, "EndpointName"]}, "/variant/main"]


def test_scaling_of_a_component_waits_for_the_component_and_for_its_endpoint():
    template = known("components")[1]
    resources = template["Resources"]
    (target,) = resources_of(template, "AWS::ApplicationAutoScaling::ScalableTarget")
    (awaited,) = target["DependsOn"]
    component = resources[awaited]["Properties"]
    assert component["InferenceComponentName"] == "llama"
    assert component["EndpointName"]["Fn::GetAtt"][1] == "EndpointName"


def test_the_default_metric_is_concurrency_in_high_resolution():
    found = {
        name: properties(name, "AWS::ApplicationAutoScaling::ScalingPolicy")[
            "TargetTrackingScalingPolicyConfiguration"
        ]["PredefinedMetricSpecification"]["PredefinedMetricType"]
        for name in ("autoscaled", "components")
    }
    assert found == {
        "autoscaled": "SageMakerVariantConcurrentRequestsPerModelHighResolution",
        "components": "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    }


def test_models_wait_for_the_policy_of_their_role(without_role):
    _, template = without_role
    (model,) = resources_of(template, "AWS::SageMaker::Model")
    (role,) = resources_of(template, "AWS::IAM::Role")
    (policy,) = role["Properties"]["ManagedPolicyArns"]
    assert template["Resources"][policy["Ref"]]["Type"] == "AWS::IAM::ManagedPolicy"
    assert template["Resources"][model["Properties"]["ExecutionRoleArn"]["Fn::GetAtt"][0]] == role


def test_the_role_has_no_inline_policy_and_cfn_lint_finds_nothing(without_role):
    _, template = without_role
    (role,) = resources_of(template, "AWS::IAM::Role")
    assert "Policies" not in role["Properties"]
    assert lint(template) == []


def test_nothing_is_exported_and_nothing_but_the_spec_s_own_names_is_fixed():
    template = template_of(EndpointStack(App(), "Bot", spec=WITHOUT_ROLE))
    assert all("Export" not in output for output in template["Outputs"].values())
    named = {
        (resource["Type"], name)
        for resource in template["Resources"].values()
        for name in resource["Properties"]
        if name.endswith("Name") and isinstance(resource["Properties"][name], str)
    }
    assert named == {("AWS::SageMaker::Endpoint", "EndpointName")}


def test_two_endpoints_live_in_one_stack():
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    VllmEndpoint(stack, "First", spec=SPECS["demo"])
    VllmEndpoint(stack, "Second", spec=demo(name="other-bot"))
    template = Template.from_stack(stack).to_json()
    names = {each["Properties"]["EndpointName"] for each in resources_of(template, "AWS::SageMaker::Endpoint")}
    assert names == {"support-bot", "other-bot"}


def test_two_syntheses_give_the_same_bytes(tmp_path):
    def synthesise(folder: str) -> bytes:
        app = App(outdir=str(tmp_path / folder))
        EndpointStack(app, "Bot", spec=SPECS["components"])
        EndpointStack(app, "Other", spec=WITHOUT_ROLE)
        app.synth()
        return b"".join((tmp_path / folder / f"{name}.template.json").read_bytes() for name in ("Bot", "Other"))

    assert synthesise("first") == synthesise("second")


class TestHandles:
    """Every resource is an L1 construct with its properties, for overrides and aspects."""

    def test_each_is_typed_and_holds_its_properties(self):
        endpoint = known("components")[0]
        assert isinstance(endpoint.cfn_endpoint, CfnEndpoint)
        assert isinstance(endpoint.cfn_endpoint_config, CfnEndpointConfig)
        assert {name: type(model) for name, model in endpoint.cfn_models.items()} == {"": CfnModel, "draft": CfnModel}
        assert set(endpoint.cfn_inference_components) == {"llama", "legal-adapter", "Draft", "foreign"}
        assert endpoint.cfn_inference_components["llama"].endpoint_name
        assert isinstance(endpoint.cfn_inference_components["llama"], CfnInferenceComponent)
        assert list(endpoint.cfn_scalable_targets) == list(endpoint.cfn_scaling_policies) == ["component-llama"]
        assert endpoint.cfn_scalable_targets["component-llama"].max_capacity == 12
        assert endpoint.configuration.node.default_child is endpoint.cfn_endpoint_config

    def test_overrides_reach_the_template(self):
        endpoint = endpoint_of(SPECS["demo"])
        endpoint.cfn_endpoint_config.add_property_override("ProductionVariants.0.InitialInstanceCount", 9)
        (config,) = resources_of(template_of(endpoint), "AWS::SageMaker::EndpointConfig")
        assert config["Properties"]["ProductionVariants"][0]["InitialInstanceCount"] == 9

    def test_tags_of_the_app_join_those_of_the_spec(self):
        endpoint = endpoint_of(SPECS["autoscaled"])
        Tags.of(endpoint).add("stage", "test")
        template = template_of(endpoint)
        for type_ in ("Model", "EndpointConfig", "Endpoint"):
            tags = resources_of(template, f"AWS::SageMaker::{type_}")[0]["Properties"]["Tags"]
            assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "search", "stage": "test"}
        assert Aspects.of(endpoint)


class TestMistakes:
    """What fails says what ``warmroute validate`` says, and which construct it is."""

    def test_an_invalid_spec(self, tmp_path):
        file = tmp_path / "endpoint.yaml"
        file.write_text(
            "name: bot\nvariants: [{name: main, instance_type: ml.p5.48xlarge, routing_config:"
            " {routing_strategy: PREFIX_AWARE, prefix_aware_routing_config:"
            " {prefix_length: 900, concurrency_threshold: 1}}}]\n",
            encoding="utf-8",
        )
        with pytest.raises(InvalidSettingsError) as validated:
            load_spec(file)
        with pytest.raises(InvalidSettingsError) as caught:
            VllmEndpoint(Stack(App(), "Test"), "Bot", spec=file)
        assert str(caught.value).splitlines() == [f"Test/Bot: {line}" for line in str(validated.value).splitlines()]
        assert "prefix_length: 900 is below 1,024" in str(caught.value)

    def test_what_the_constructs_make_invalid(self):
        with pytest.raises(InvalidSettingsError, match=r"Test/Bot: .*alarms"):
            endpoint_of(SPECS["demo"], rollback_alarms=[f"alarm-{number}" for number in range(11)])

    def test_warnings_are_said_at_synthesis(self):
        endpoint = known("everything")[0]
        found = Annotations.from_stack(Stack.of(endpoint))
        found.has_warning("/Test/Bot", Match.string_like_regexp(r"variants.*warmroute:WR104"))

    def test_silenced_warnings_are_not(self):
        spec = SPECS["everything"]
        ids = ("WR704", "WR104", "WR210", "WR211", "WR215")
        quiet = EndpointSpec.parse(
            {**spec.model_dump(exclude_none=True), "silence": [{"id": each, "reason": "Weighed."} for each in ids]}
        )
        endpoint = endpoint_of(quiet)
        assert Annotations.from_stack(Stack.of(endpoint)).find_warning("*", Match.any_value()) == []
