"""Constructs in the place of fields of a spec, and tokens inside its fields."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Duration, Environment, Fn, Stack
from aws_cdk.aws_cloudwatch import Alarm, Metric
from aws_cdk.aws_ec2 import SubnetSelection, SubnetType, Vpc
from aws_cdk.aws_ecr import Repository
from aws_cdk.aws_iam import ManagedPolicy, Role, ServicePrincipal
from aws_cdk.aws_kms import Key
from aws_cdk.aws_s3 import Bucket
from aws_cdk.aws_secretsmanager import Secret
from cdk.sleeping import SLEEPING
from cdk.synthesis import lint, resources_of, template_of
from render.specs import SPECS, WITHOUT_ROLE, demo

from warmroute import IncompleteSpecError, InvalidSettingsError
from warmroute.hosting import EndpointSpec
from warmroute_cdk import BoundSpec, ExecutionPolicy, Models, SpecConstructs, VllmEndpoint


@pytest.fixture
def stack() -> Stack:
    return Stack(App(), "Test", env=Environment(region="us-east-1"))


def only(template: dict[str, Any], kind: str) -> dict[str, Any]:
    (found,) = resources_of(template, f"AWS::SageMaker::{kind}")
    properties: dict[str, Any] = found["Properties"]
    return properties


def warnings_of(endpoint: VllmEndpoint) -> list[str]:
    return [str(entry.data) for entry in endpoint.node.metadata if entry.type == "aws:cdk:warning"]


def logical_id(template: dict[str, Any], type_: str) -> str:
    (name,) = (name for name, each in template["Resources"].items() if each["Type"] == type_)
    return name


def test_all_of_them_together(stack):
    vpc = Vpc(stack, "Vpc", max_azs=2)
    key = Key(stack, "Key")
    spec = EndpointSpec.parse(
        {
            **WITHOUT_ROLE.model_dump(exclude_none=True),
            "variants": [{"name": "main", "instance_type": "ml.c5.xlarge", "initial_instance_count": 2}],
        }
    )
    alarm = Alarm(
        stack,
        "Alarm",
        metric=Metric(namespace="AWS/SageMaker", metric_name="Invocation5XXErrors", period=Duration.minutes(1)),
        threshold=1,
        evaluation_periods=1,
    )
    endpoint = VllmEndpoint(
        stack,
        "Bot",
        spec=spec,
        vpc=vpc,
        vpc_subnets=SubnetSelection(subnet_type=SubnetType.PUBLIC),
        encryption_key=key,
        hugging_face_token=Secret(stack, "Token"),
        rollback_alarms=[alarm, "made-elsewhere"],
    )
    assert endpoint.connections.security_groups
    template = template_of(endpoint)

    model = only(template, "Model")
    assert model["PrimaryContainer"]["Environment"]["HF_TOKEN"]["Fn::Join"][1][0] == "{{resolve:secretsmanager:"
    assert [list(each) for each in model["VpcConfig"]["Subnets"]] == [["Ref"], ["Ref"]]
    (group,) = model["VpcConfig"]["SecurityGroupIds"]
    assert group["Fn::GetAtt"][1] == "GroupId"
    key_arn = {"Fn::GetAtt": [logical_id(template, "AWS::KMS::Key"), "Arn"]}
    assert only(template, "EndpointConfig")["KmsKeyId"] == key_arn
    assert only(template, "Endpoint")["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"] == [
        {"AlarmName": {"Ref": logical_id(template, "AWS::CloudWatch::Alarm")}},
        {"AlarmName": "made-elsewhere"},
    ]
    assert lint(template) == []
    policy = str(resources_of(template, "AWS::IAM::ManagedPolicy"))
    assert "warmroute-construct" not in str(template)
    assert "ec2:CreateNetworkInterface" in policy
    assert "kms:CreateGrant" in policy


def test_a_role_wins_over_the_spec_s_and_its_policies_come_before_the_models(stack):
    bucket = Bucket(stack, "Bucket")
    role = Role(stack, "Role", assumed_by=ServicePrincipal("sagemaker.amazonaws.com"))
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"], role=role)
    bucket.grant_read(endpoint.role)
    assert endpoint.role is role
    template = template_of(endpoint)

    (model,) = resources_of(template, "AWS::SageMaker::Model")
    assert model["Properties"]["ExecutionRoleArn"] == {"Fn::GetAtt": [logical_id(template, "AWS::IAM::Role"), "Arn"]}
    assert logical_id(template, "AWS::IAM::Policy") in model["DependsOn"]
    assert resources_of(template, "AWS::IAM::ManagedPolicy") == []


def test_a_role_serves_components_too(stack):
    role = Role.from_role_arn(stack, "Role", "arn:aws:iam::123456789012:role/another")
    template = template_of(VllmEndpoint(stack, "Bot", spec=SLEEPING, role=role))
    assert only(template, "EndpointConfig")["ExecutionRoleArn"] == "arn:aws:iam::123456789012:role/another"


def test_a_spec_of_components_leaves_its_role_to_the_constructs(stack):
    spec = SLEEPING.model_copy(update={"execution_role_arn": None})
    role = Role.from_role_arn(stack, "Role", "arn:aws:iam::123456789012:role/another")
    template = template_of(VllmEndpoint(stack, "Bot", spec=spec, role=role))
    assert only(template, "EndpointConfig")["ExecutionRoleArn"] == "arn:aws:iam::123456789012:role/another"
    assert resources_of(template, "AWS::IAM::Role") == []


def test_a_spec_of_components_without_a_role_gets_one(stack):
    spec = SLEEPING.model_copy(update={"execution_role_arn": None})
    template = template_of(VllmEndpoint(stack, "Bot", spec=spec))
    made = {"Fn::GetAtt": [logical_id(template, "AWS::IAM::Role"), "Arn"]}
    assert only(template, "EndpointConfig")["ExecutionRoleArn"] == made
    assert only(template, "Model")["ExecutionRoleArn"] == made
    assert lint(template) == []


def test_the_spec_s_role_can_be_granted_to_but_is_not_changed(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"])
    assert endpoint.role is not None
    Bucket(stack, "Bucket").grant_read(endpoint.role)
    assert endpoint.role.role_arn == SPECS["demo"].execution_role_arn
    assert resources_of(template_of(endpoint), "AWS::IAM::Policy") == []


def test_tokens_stand_in_images_artefacts_and_variables(stack):
    bucket = Bucket(stack, "Bucket")
    repository = Repository(stack, "Repository")
    parameter = CfnParameter(stack, "Value")
    spec = EndpointSpec.parse(
        {
            "name": "bot",
            "model": {
                "image": {"uri": repository.repository_uri_for_tag("v1")},
                "source": {"s3_prefix": f"s3://{bucket.bucket_name}/llama/"},
                "environment": {"A_VALUE": parameter.value_as_string},
            },
            "variants": [{"name": "main", "instance_type": "ml.g5.xlarge", "initial_instance_count": 1}],
        }
    )
    template = template_of(VllmEndpoint(stack, "Bot", spec=spec))

    container = only(template, "Model")["PrimaryContainer"]
    assert container["Environment"]["A_VALUE"] == {"Ref": "Value"}
    assert container["ModelDataSource"]["S3DataSource"]["S3Uri"]["Fn::Join"][1][-1] == "/llama/"
    assert lint(template) == []
    bucket_id, repository_id = (logical_id(template, type_) for type_ in ("AWS::S3::Bucket", "AWS::ECR::Repository"))
    policy = str(resources_of(template, "AWS::IAM::ManagedPolicy"))
    assert "':s3:::', {'Ref': '" + bucket_id in policy
    assert "'/llama/*'" in policy
    assert f"'Fn::GetAtt': ['{repository_id}', 'Arn']" in policy


def test_an_imported_subnet_may_be_a_token(stack):
    listed = Fn.split(",", Fn.import_value("subnets"))
    zones = ["us-east-1a"]
    vpc = Vpc.from_vpc_attributes(
        stack, "Vpc", vpc_id="vpc-1", availability_zones=zones, private_subnet_ids=[Fn.select(0, listed)]
    )
    template = template_of(VllmEndpoint(stack, "Bot", spec=SPECS["demo"], vpc=vpc))
    assert [list(each) for each in only(template, "Model")["VpcConfig"]["Subnets"]] == [["Fn::Select"]]


def test_alarms_made_after_the_endpoint_roll_its_updates_back(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["everything"])
    dimensions = {"EndpointName": endpoint.spec.name, "VariantName": "main"}
    metric = Metric(namespace="AWS/SageMaker", metric_name="Invocation5XXErrors", dimensions_map=dimensions)
    endpoint.add_rollback_alarms(Alarm(stack, "Alarm", metric=metric, threshold=1, evaluation_periods=1))
    endpoint.add_rollback_alarms("another")
    template = template_of(endpoint)

    guardrails = only(template, "Endpoint")["DeploymentConfig"]
    assert [each["AlarmName"] for each in guardrails["AutoRollbackConfiguration"]["Alarms"]] == [
        "errors",
        "latency",
        {"Ref": logical_id(template, "AWS::CloudWatch::Alarm")},
        "another",
    ]
    assert guardrails["BlueGreenUpdatePolicy"]["TerminationWaitInSeconds"] == 120


def test_alarms_made_after_the_endpoint_answer_the_warning_that_there_are_none(stack):
    rolling = {"maximum_batch_size": {"type": "INSTANCE_COUNT", "value": 1}, "wait_interval_in_seconds": 60}
    values = {**SPECS["demo"].model_dump(exclude_none=True), "deployment_config": {"rolling_update_policy": rolling}}
    late = VllmEndpoint(stack, "Late", spec=EndpointSpec.parse(values))
    assert [text for text in warnings_of(late) if "WR609" in text]
    late.add_rollback_alarms("made-elsewhere")
    first = VllmEndpoint(stack, "First", spec=EndpointSpec.parse(values), rollback_alarms=["made-elsewhere"])
    assert warnings_of(late) == warnings_of(first)


def test_alarms_that_were_refused_are_not_kept(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"], rollback_alarms=[f"alarm-{each}" for each in range(9)])
    with pytest.raises(InvalidSettingsError, match="at most 10"):
        endpoint.add_rollback_alarms("tenth", "eleventh")
    endpoint.add_rollback_alarms("tenth")
    guardrails = only(template_of(endpoint), "Endpoint")["DeploymentConfig"]
    assert len(guardrails["AutoRollbackConfiguration"]["Alarms"]) == 10


def test_models_wait_for_a_policy_that_is_attached_to_their_role(stack):
    role = Role(stack, "Role", assumed_by=ServicePrincipal("sagemaker.amazonaws.com"))
    ExecutionPolicy(stack, "Policy", spec=WITHOUT_ROLE, roles=[role])
    template = template_of(VllmEndpoint(stack, "Bot", spec=WITHOUT_ROLE, role=role))
    (model,) = resources_of(template, "AWS::SageMaker::Model")
    (made,) = resources_of(template, "AWS::IAM::Role")
    assert logical_id(template, "AWS::IAM::Role") in model["DependsOn"]
    assert made["Properties"]["ManagedPolicyArns"] == [{"Ref": logical_id(template, "AWS::IAM::ManagedPolicy")}]


def test_a_key_is_judged_by_the_spec_s_rules(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"], encryption_key=Key(stack, "Key"))
    messages = [str(entry.data) for entry in endpoint.node.metadata]
    assert any("ml.p5.48xlarge has local NVMe storage" in message for message in messages)


def test_a_vpc_has_at_most_sixteen_subnets(stack):
    vpc = Vpc.from_vpc_attributes(
        stack,
        "Vpc",
        vpc_id="vpc-1",
        availability_zones=[f"us-east-1{zone}" for zone in "abcdefghijklmnopq"],
        private_subnet_ids=[f"subnet-{number}" for number in range(17)],
    )
    with pytest.raises(InvalidSettingsError, match=r"Test/Bot: .*subnets"):
        VllmEndpoint(stack, "Bot", spec=SPECS["demo"], vpc=vpc)


def test_a_part_alone_takes_constructs_in_a_bound_spec(stack):
    key = Key(stack, "Key")
    role = Role(
        stack,
        "Role",
        assumed_by=ServicePrincipal("sagemaker.amazonaws.com"),
        managed_policies=[ManagedPolicy.from_aws_managed_policy_name("ReadOnlyAccess")],
    )
    models = Models(stack, "Models", spec=BoundSpec(demo(), "Test/Models", {"role": role, "encryption_key": key}))
    assert models.cfn_models[""].execution_role_arn == role.role_arn


def test_a_part_alone_says_that_it_needs_a_role(stack):
    with pytest.raises(IncompleteSpecError, match=r"Test/Models: the models need an execution role\. .*ExecutionRole"):
        Models(stack, "Models", spec=WITHOUT_ROLE)


def test_a_vpc_in_a_bound_spec_needs_its_security_groups(stack):
    vpc = Vpc.from_vpc_attributes(stack, "Vpc", vpc_id="vpc-1", availability_zones=["us-east-1a"])
    with pytest.raises(IncompleteSpecError, match="Test/X: the VPC has no security group"):
        BoundSpec(SPECS["demo"], "Test/X", {"vpc": vpc})


def test_the_endpoint_waits_for_the_routes_of_its_vpc(stack):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"], vpc=Vpc(stack, "Vpc", max_azs=2))
    template = template_of(endpoint)
    (made,) = resources_of(template, "AWS::SageMaker::Endpoint")
    assert {template["Resources"][name]["Type"] for name in made["DependsOn"]} >= {"AWS::EC2::Route"}


def test_what_would_have_no_effect_is_refused(stack):
    with pytest.raises(IncompleteSpecError, match="Test/Bot: subnets or security groups are given without their VPC"):
        VllmEndpoint(stack, "Bot", spec=SPECS["demo"], vpc_subnets=SubnetSelection(one_per_az=True))
    with pytest.raises(IncompleteSpecError, match=r"Test/Other: hugging_face_token is given, but no model"):
        VllmEndpoint(stack, "Other", spec=SLEEPING, hugging_face_token=Secret(stack, "Token"))


def test_none_says_nothing(stack):
    nothing = dict.fromkeys(SpecConstructs.__annotations__)
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"], **nothing)
    assert only(template_of(endpoint), "Model")["ExecutionRoleArn"] == SPECS["demo"].execution_role_arn


def test_an_endpoint_of_the_account_s_models_needs_no_role(stack):
    variants = [{"name": "main", "model_name": "here", "instance_type": "ml.g5.xlarge", "initial_instance_count": 1}]
    endpoint = VllmEndpoint(stack, "Bot", spec=EndpointSpec.parse({"name": "bot", "variants": variants}))
    assert endpoint.role is None
    template = template_of(endpoint)
    assert only(template, "EndpointConfig")["ProductionVariants"][0]["ModelName"] == "here"
    assert [each for each in template["Resources"].values() if "::IAM::" in each["Type"]] == []
