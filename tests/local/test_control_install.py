from __future__ import annotations

import json
import sys

import boto3
import moto
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.sagemaker.models import SageMakerModelBackend
from moto.sagemaker.responses import SageMakerResponse

from warmroute.errors import LocalEndpointError, MissingExtraError
from warmroute.local.control import Clock, Durations, endpoint_in_force, install

REGION = "us-east-1"


@pytest.fixture
def clock():
    return Clock(speed=0, start=1_800_000_000.0)


@pytest.fixture
def aws(clock):
    install(clock=clock, durations=Durations())
    with mock_aws():
        yield lambda service: boto3.client(service, region_name=REGION)
    install(clock=Clock())


def test_a_second_installation_changes_nothing():
    install()
    methods = dict(vars(SageMakerResponse)), dict(vars(SageMakerModelBackend))
    install()
    assert (dict(vars(SageMakerResponse)), dict(vars(SageMakerModelBackend))) == methods


def test_another_moto_is_refused(monkeypatch):
    monkeypatch.setattr(moto, "__version__", "5.3.0")
    with pytest.raises(LocalEndpointError, match=r"moto 5\.3\.0 is installed, .* extends moto 5\.2\.5.*pip install"):
        install()


def test_without_moto_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "moto", None)
    with pytest.raises(MissingExtraError, match=r"warmroute\[local\]"):
        install()


def test_a_moto_that_lacks_a_hook_is_refused_by_name(monkeypatch):
    install()
    monkeypatch.delattr(SageMakerModelBackend, "list_tags")
    with pytest.raises(LocalEndpointError, match=r"lacks SageMakerModelBackend\.list_tags"):
        install()


@pytest.mark.parametrize(
    ("service", "action", "request_"),
    [
        ("sagemaker", "describe_hub", {"HubName": "hub"}),
        (
            "application-autoscaling",
            "describe_scaling_activities",
            {"ServiceNamespace": "sagemaker", "ResourceId": "endpoint/chat/variant/main"},
        ),
    ],
)
def test_what_nobody_answers_is_an_error_that_names_it(aws, service, action, request_):
    with pytest.raises(ClientError, match=r"does not implement Describe\w+ of") as error:
        getattr(aws(service), action)(**request_)
    assert error.value.response["Error"]["Code"] == "NotImplemented"
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    ("service", "action", "request_"),
    [
        ("sagemaker", "list_endpoints", {}),
        ("sagemaker", "list_experiments", {}),
        ("application-autoscaling", "describe_scalable_targets", {"ServiceNamespace": "sagemaker"}),
    ],
)
def test_a_region_that_nobody_has_is_an_error_that_names_it(aws, service, action, request_):
    client = boto3.client(service, region_name="mars-1")
    with pytest.raises(ClientError, match="SageMaker has no region mars-1") as error:
        getattr(client, action)(**request_)
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_the_rest_of_sagemaker_still_answers(aws):
    sagemaker = aws("sagemaker")
    sagemaker.create_experiment(ExperimentName="trial")
    assert sagemaker.list_experiments()["ExperimentSummaries"][0]["ExperimentName"] == "trial"


@pytest.mark.parametrize(
    ("resource", "dimension"),
    [
        ("inference-component/base", "sagemaker:inference-component:DesiredCopyCount"),
        ("endpoint/chat/variant/main", "sagemaker:variant:DesiredInstanceCount"),
        ("endpoint/chat/variant/main", "sagemaker:variant:DesiredProvisionedConcurrency"),
    ],
)
def test_every_scalable_dimension_of_sagemaker_registers(aws, resource, dimension):
    scaling = aws("application-autoscaling")
    scaling.register_scalable_target(
        ServiceNamespace="sagemaker", ResourceId=resource, ScalableDimension=dimension, MinCapacity=1, MaxCapacity=4
    )
    targets = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert [(target["ResourceId"], target["ScalableDimension"]) for target in targets] == [(resource, dimension)]


def test_scalable_targets_keep_their_tags(aws):
    scaling = aws("application-autoscaling")
    place = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/chat/variant/main",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    made = scaling.register_scalable_target(MinCapacity=1, MaxCapacity=4, Tags={"team": "a"}, **place)
    arn = made["ScalableTargetARN"]
    scaling.register_scalable_target(MaxCapacity=8, Tags={"team": "b"}, **place)
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"team": "a"}

    scaling.tag_resource(ResourceARN=arn, Tags={"team": "c", "cost": "d"})
    scaling.untag_resource(ResourceARN=arn, TagKeys=["cost"])
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"team": "c"}

    with pytest.raises(ClientError, match="at most 50 tags") as many:
        scaling.tag_resource(ResourceARN=arn, Tags={str(number): "x" for number in range(50)})
    assert many.value.response["Error"]["Code"] == "TooManyTagsException"
    scaling.deregister_scalable_target(**place)
    with pytest.raises(ClientError, match="no scalable target") as gone:
        scaling.list_tags_for_resource(ResourceARN=arn)
    assert gone.value.response["Error"]["Code"] == "ResourceNotFoundException"


def test_scheduled_actions_go_with_their_target_alone(aws):
    scaling = aws("application-autoscaling")
    for name in ("main", "other"):
        place = {
            "ServiceNamespace": "sagemaker",
            "ResourceId": f"endpoint/chat/variant/{name}",
            "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        }
        scaling.register_scalable_target(MinCapacity=1, MaxCapacity=4, **place)
        scaling.put_scheduled_action(ScheduledActionName=name, Schedule="rate(1 day)", **place)
    scaling.deregister_scalable_target(**place)
    actions = scaling.describe_scheduled_actions(ServiceNamespace="sagemaker")["ScheduledActions"]
    assert [action["ScheduledActionName"] for action in actions] == ["main"]


def test_an_unknown_scalable_dimension_is_still_refused(aws):
    with pytest.raises(ClientError, match="enum value set"):
        aws("application-autoscaling").register_scalable_target(
            ServiceNamespace="sagemaker", ResourceId="endpoint/chat/variant/main", ScalableDimension="sagemaker:x:Y"
        )


def test_endpoints_are_found_by_their_tags(aws):
    sagemaker = aws("sagemaker")
    sagemaker.create_model(
        ModelName="llama", PrimaryContainer={"Image": "vllm:1"}, Tags=[{"Key": "team", "Value": "a"}]
    )
    found = aws("resourcegroupstaggingapi").get_resources(TagFilters=[{"Key": "team", "Values": ["a"]}])
    assert [each["ResourceARN"].rpartition(":")[2] for each in found["ResourceTagMappingList"]] == ["model/llama"]


def test_what_cloudformation_makes_lives_the_same_life(aws, clock):
    variant = {
        "VariantName": "main",
        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
        "InstanceType": "ml.p5.48xlarge",
        "InitialInstanceCount": 2,
    }
    role = "arn:aws:iam::123456789012:role/execution"
    template = {
        "Resources": {
            "Model": {
                "Type": "AWS::SageMaker::Model",
                "Properties": {"ExecutionRoleArn": role, "PrimaryContainer": {"Image": "vllm:1"}},
            },
            "Config": {"Type": "AWS::SageMaker::EndpointConfig", "Properties": {"ProductionVariants": [variant]}},
            "Endpoint": {
                "Type": "AWS::SageMaker::Endpoint",
                "Properties": {"EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}},
            },
        },
    }
    cloudformation, sagemaker = aws("cloudformation"), aws("sagemaker")
    cloudformation.create_stack(StackName="chat", TemplateBody=json.dumps(template))
    (endpoint,) = sagemaker.list_endpoints()["Endpoints"]
    assert endpoint["EndpointStatus"] == "Creating"
    clock.advance(2)
    state = endpoint_in_force("123456789012", REGION, endpoint["EndpointName"])
    assert (state.status, state.variants[0].model_image) == ("InService", "vllm:1")

    cloudformation.delete_stack(StackName="chat")
    clock.advance(2)
    assert sagemaker.list_endpoints()["Endpoints"] == []
    assert sagemaker.list_endpoint_configs()["EndpointConfigs"] == []
    assert sagemaker.list_models()["Models"] == []
