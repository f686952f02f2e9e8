from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from render.aws_models import faults, service
from render.specs import ROLE, SPECS, demo, demo_variant, specs

from warmroute.errors import IncompleteSpecError, InvalidSettingsError
from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.render import Call, to_boto3


def only(calls: list[Call], operation: str) -> dict:
    found = [call.parameters for call in calls if call.operation == operation]
    assert len(found) == 1, [call.operation for call in calls]
    return found[0]


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_botocore_takes_every_call(name, update):
    for call in to_boto3(SPECS[name], update=update):
        assert faults(call) == ""


@given(specs())
@settings(max_examples=40, deadline=None)
def test_botocore_takes_the_calls_of_any_spec(spec):
    for call in to_boto3(spec):
        assert faults(call) == ""
        assert json.loads(json.dumps(call.parameters)) == call.parameters


def test_calls_stand_in_the_order_to_make_them():
    assert [(call.service, call.operation) for call in to_boto3(SPECS["autoscaled"])] == [
        ("sagemaker", "create_model"),
        ("sagemaker", "create_model"),
        ("sagemaker", "create_endpoint_config"),
        ("sagemaker", "create_endpoint"),
        ("application-autoscaling", "register_scalable_target"),
        ("application-autoscaling", "put_scaling_policy"),
        ("application-autoscaling", "register_scalable_target"),
    ]


def test_a_configuration_names_the_models_that_were_made():
    calls = to_boto3(SPECS["autoscaled"])
    made = [call.parameters["ModelName"] for call in calls if call.operation == "create_model"]
    variants = only(calls, "create_endpoint_config")["ProductionVariants"]
    assert [variant["ModelName"] for variant in variants] == [*made, "made-elsewhere"]


def test_a_pool_names_the_model_that_replaces_the_variants():
    calls = to_boto3(SPECS["everything"])
    variant = only(calls, "create_endpoint_config")["ProductionVariants"][0]
    pipeline = next(call.parameters for call in calls if "Containers" in call.parameters)
    assert [pool.get("ModelNameOverride") for pool in variant["InstancePools"]] == [None, pipeline["ModelName"]]


def test_every_field_of_a_configuration_is_rendered():
    rendered = only(to_boto3(SPECS["everything"]), "create_endpoint_config")
    across_regions = demo(
        cross_region_traffic_config={
            "max_invocations_per_second_per_instance": 5,
            "max_cross_region_percent_per_endpoint": 10,
        }
    )
    rendered |= only(to_boto3(across_regions), "create_endpoint_config")
    # Only where the endpoint hosts components or makes no model.
    rendered |= only(to_boto3(SPECS["components"]), "create_endpoint_config")
    members = service("sagemaker").operation_model("CreateEndpointConfig").input_shape.members
    assert rendered.keys() == members.keys()


def test_routing_of_instances_is_always_written():
    spec = demo(variants=[{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}])
    variant = only(to_boto3(spec), "create_endpoint_config")["ProductionVariants"][0]
    assert variant["RoutingConfig"] == {"RoutingStrategy": "RANDOM"}


def test_a_serverless_variant_has_neither_routing_nor_ami():
    variant = only(to_boto3(SPECS["serverless"]), "create_endpoint_config")["ProductionVariants"][0]
    assert variant.keys() == {"VariantName", "ModelName", "ServerlessConfig", "InitialVariantWeight"}


class TestAmi:
    def ami(self, spec: EndpointSpec) -> str | None:
        return only(to_boto3(spec), "create_endpoint_config")["ProductionVariants"][0].get("InferenceAmiVersion")

    def test_follows_from_the_image(self):
        assert self.ami(SPECS["demo"]) == "al2023-ami-sagemaker-inference-gpu-4-1"

    def test_given_one_stands(self):
        given = "al2-ami-sagemaker-inference-gpu-3-1"
        variant = demo_variant(model_name="made-elsewhere", inference_ami_version=given)
        assert self.ami(demo(variants=[variant])) == given

    def test_of_an_account_model_is_left_to_sagemaker(self):
        assert self.ami(demo(variants=[demo_variant(model_name="made-elsewhere")])) is None

    def test_of_pools_that_disagree_is_left_to_sagemaker(self):
        variant = demo_variant(
            instance_pools=[
                {"instance_type": "ml.p5.48xlarge", "priority": 1},
                {"instance_type": "ml.m5.xlarge", "priority": 2},
            ]
        )
        del variant["instance_type"]
        assert self.ami(demo(variants=[variant])) is None

    def test_of_pools_that_agree_is_derived(self):
        variant = demo_variant(
            instance_pools=[
                {"instance_type": "ml.p5.48xlarge", "priority": 1},
                {"instance_type": "ml.p4d.24xlarge", "priority": 2},
            ]
        )
        del variant["instance_type"]
        assert self.ami(demo(variants=[variant])) == "al2023-ami-sagemaker-inference-gpu-4-1"

    def test_of_a_component_without_an_image_is_left_to_sagemaker(self):
        component = {
            "name": "foreign",
            "specification": {
                "container": {"artifact_url": "s3://models/foreign.tar.gz"},
                "compute_resource_requirements": {"min_memory_required_in_mb": 1_024},
            },
        }
        assert self.ami(demo(inference_components=[component])) is None

    def test_follows_from_the_images_of_all_components(self):
        assert self.ami(SPECS["heterogeneous"]) == "al2023-ami-sagemaker-inference-gpu-4-1"
        assert self.ami(SPECS["components"]) == "al2023-ami-sagemaker-inference-gpu-4-1"


class TestComponents:
    calls = to_boto3(SPECS["components"])

    def component(self, name: str) -> dict:
        return next(each.parameters for each in self.calls if each.parameters.get("InferenceComponentName") == name)

    def test_variants_serve_no_model(self):
        assert "ModelName" not in only(self.calls, "create_endpoint_config")["ProductionVariants"][0]

    def test_the_configuration_has_role_network_and_isolation(self):
        configuration = only(self.calls, "create_endpoint_config")
        assert configuration["ExecutionRoleArn"] == ROLE
        assert configuration["EnableNetworkIsolation"] is True
        assert configuration["VpcConfig"]["SecurityGroupIds"] == ["sg-0a1b2c3d"]

    def test_bases_are_made_before_their_adapters(self):
        names = [each.parameters.get("InferenceComponentName") for each in self.calls]
        assert names.index("llama") < names.index("legal-adapter")

    def test_a_base_has_variant_model_and_copies(self):
        made = [each.parameters["ModelName"] for each in self.calls if each.operation == "create_model"]
        assert self.component("llama")["Specification"]["ModelName"] == made[0]
        assert self.component("Draft")["Specification"]["ModelName"] == made[1]
        assert self.component("llama")["RuntimeConfig"] == {"CopyCount": 3}
        assert self.component("Draft")["RuntimeConfig"] == {"CopyCount": 1}
        assert self.component("Draft")["VariantName"] == "main"

    def test_an_adapter_has_only_its_weights(self):
        assert self.component("legal-adapter") == {
            "InferenceComponentName": "legal-adapter",
            "EndpointName": "shared-fleet",
            "Specification": {
                "BaseInferenceComponentName": "llama",
                "Container": {"ArtifactUrl": "s3://models/legal.tar.gz"},
            },
            "Tags": [{"Key": "team", "Value": "legal"}],
        }

    def test_each_instance_type_has_its_own_model(self):
        calls = to_boto3(SPECS["heterogeneous"])
        made = [each.parameters["ModelName"] for each in calls if each.operation == "create_model"]
        component = only(calls, "create_inference_component")
        assert [each["ModelName"] for each in component["Specifications"]] == made
        assert component["VariantName"] == "main"

    def test_a_container_of_its_own_takes_no_model(self):
        assert "ModelName" not in self.component("foreign")["Specification"]


def test_without_components_role_network_and_isolation_stand_on_the_models():
    calls = to_boto3(SPECS["everything"])
    assert (
        not {"ExecutionRoleArn", "VpcConfig", "EnableNetworkIsolation"} & only(calls, "create_endpoint_config").keys()
    )
    models = [call.parameters for call in calls if call.operation == "create_model"]
    assert [model["ExecutionRoleArn"] for model in models] == [ROLE, ROLE, "arn:aws:iam::123456789012:role/another"]
    assert all(model["EnableNetworkIsolation"] and model["VpcConfig"] for model in models)


def test_tags_stand_on_everything_that_takes_them():
    for call in to_boto3(SPECS["autoscaled"]):
        if call.operation == "put_scaling_policy":
            continue
        expected = [{"Key": "team", "Value": "search"}]
        assert call.parameters["Tags"] == (
            {"team": "search"} if call.operation == "register_scalable_target" else expected
        )


def test_auto_scaling_addresses_variants_and_components():
    targets = {
        name: [
            (call.parameters["ResourceId"], call.parameters["ScalableDimension"])
            for call in to_boto3(SPECS[name])
            if call.operation == "register_scalable_target"
        ]
        for name in ("autoscaled", "serverless", "components")
    }
    assert targets == {
        "autoscaled": [
            ("endpoint/autoscaled/variant/main", "sagemaker:variant:DesiredInstanceCount"),
            ("endpoint/autoscaled/variant/next", "sagemaker:variant:DesiredInstanceCount"),
        ],
        "serverless": [("endpoint/serverless/variant/main", "sagemaker:variant:DesiredProvisionedConcurrency")],
        "components": [("inference-component/llama", "sagemaker:inference-component:DesiredCopyCount")],
    }


def test_the_policy_holds_the_metric_in_force():
    policy = only(to_boto3(SPECS["autoscaled"]), "put_scaling_policy")
    assert policy["TargetTrackingScalingPolicyConfiguration"] == {
        "TargetValue": 12.0,
        "ScaleInCooldown": 600,
        "ScaleOutCooldown": 60,
        "PredefinedMetricSpecification": {
            "PredefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"
        },
    }


class TestUpdate:
    def test_takes_the_place_of_create(self):
        create, update = to_boto3(SPECS["autoscaled"]), to_boto3(SPECS["autoscaled"], update=True)
        assert [call for call in update if call.operation != "update_endpoint"] == [
            call for call in create if call.operation != "create_endpoint"
        ]
        created, updated = only(create, "create_endpoint"), only(update, "update_endpoint")
        assert updated == {
            **{name: value for name, value in created.items() if name != "Tags"},
            "RetainAllVariantProperties": True,
        }
        assert updated["DeploymentConfig"]["RollingUpdatePolicy"]["WaitIntervalInSeconds"] == 120

    def test_resets_counts_only_where_asked(self):
        assert "RetainAllVariantProperties" not in only(to_boto3(SPECS["demo"], update=True), "update_endpoint")
        asked = to_boto3(demo(retain_all_variant_properties=False), update=True)
        assert only(asked, "update_endpoint")["RetainAllVariantProperties"] is False


class TestWhatIsMissing:
    def test_role_of_a_model(self):
        spec = parse_spec(
            "{name: x, region: us-east-1, model: {source: {hugging_face: a/b}}, variants: "
            "[{name: main, instance_type: ml.g5.xlarge, initial_instance_count: 1}]}"
        )
        with pytest.raises(IncompleteSpecError, match=r"^execution_role_arn: model needs a role"):
            to_boto3(spec)

    def test_role_of_components(self):
        spec = EndpointSpec.parse(
            {
                "name": "x",
                "region": "us-east-1",
                "variants": [{"name": "main", "instance_type": "ml.g5.xlarge", "initial_instance_count": 1}],
                "inference_components": [
                    {
                        "name": "llama",
                        "specification": {
                            "container": {"image": "registry/app:1"},
                            "compute_resource_requirements": {"min_memory_required_in_mb": 1_024},
                        },
                        "runtime_config": {"copy_count": 1},
                    }
                ],
            }
        )
        with pytest.raises(IncompleteSpecError, match=r"^execution_role_arn: variants that host .* need a role"):
            to_boto3(spec)

    def test_region_of_an_image(self):
        spec = EndpointSpec.parse(SPECS["demo"].model_dump(exclude_none=True, exclude={"region"}))
        with pytest.raises(IncompleteSpecError, match=r"^region: "):
            to_boto3(spec)
        assert to_boto3(spec, region="us-east-1") == to_boto3(SPECS["demo"])

    def test_an_image_of_ones_own_needs_no_region(self):
        uri = "123456789012.dkr.ecr.us-east-1.amazonaws.com/vllm:mine"
        values = SPECS["demo"].model_dump(exclude_none=True, exclude={"region", "model"})
        spec = EndpointSpec.parse({**values, "model": {"image": {"uri": uri}, "source": {"hugging_face": "a/b"}}})
        assert only(to_boto3(spec), "create_model")["PrimaryContainer"]["Image"] == uri

    def test_an_image_in_that_region(self):
        with pytest.raises(InvalidSettingsError, match="no vLLM image in 'eu-nowhere-1'"):
            to_boto3(SPECS["demo"], region="eu-nowhere-1")


def test_parameters_are_new_each_time():
    first = to_boto3(SPECS["demo"])
    first[0].parameters["PrimaryContainer"]["Environment"]["CHANGED"] = "1"
    first[1].parameters["ProductionVariants"][0]["RoutingConfig"].clear()
    assert to_boto3(SPECS["demo"]) != first


@pytest.mark.parametrize("name", SPECS)
def test_a_described_configuration_renders_the_same_again(name):
    stored = only(to_boto3(SPECS[name]), "create_endpoint_config")
    described = {
        **stored,
        "EndpointConfigArn": f"arn:aws:sagemaker:us-east-1:123456789012:endpoint-config/{stored['EndpointConfigName']}",
        "CreationTime": "2026-11-30T00:00:00Z",
    }
    again = to_boto3(EndpointSpec.parse(described))
    assert [call.operation for call in again] == ["create_endpoint_config", "create_endpoint"]
    rendered = only(again, "create_endpoint_config")
    assert {**rendered, "EndpointConfigName": stored["EndpointConfigName"]} == stored
