from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from warmroute.errors import LocalEndpointError
from warmroute.local.control import Clock, Durations, fail_next_deployment, install

REGION = "us-east-1"
ARN = f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/chat"
DURATIONS = Durations(creating=60, updating=90, rolling_back=30, deleting=10, component=20)
PREFIX_AWARE = {
    "RoutingStrategy": "PREFIX_AWARE",
    "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
}
CANARY = {
    "BlueGreenUpdatePolicy": {
        "TrafficRoutingConfiguration": {
            "Type": "CANARY",
            "WaitIntervalInSeconds": 60,
            "CanarySize": {"Type": "INSTANCE_COUNT", "Value": 1},
        }
    }
}


@pytest.fixture
def clock():
    return Clock(speed=0, start=1_800_000_000.0)


@pytest.fixture
def sagemaker(clock):
    install(clock=clock, durations=DURATIONS)
    with mock_aws():
        client = boto3.client("sagemaker", region_name=REGION)
        client.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"})
        config(client, "old", RoutingConfig={"RoutingStrategy": "RANDOM"})
        config(client, "new", RoutingConfig=PREFIX_AWARE, InitialInstanceCount=4, InitialVariantWeight=3.0)
        yield client
    install(clock=Clock(), durations=Durations())


@pytest.fixture
def in_service(sagemaker, clock):
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    clock.advance(60)
    return sagemaker


def config(client, name, **changes):
    variant = {
        "VariantName": "main",
        "ModelName": "llama",
        "InstanceType": "ml.p5.48xlarge",
        "InitialInstanceCount": 2,
    } | changes
    client.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[{key: value for key, value in variant.items() if value is not None}],
    )


def describe(client):
    return client.describe_endpoint(EndpointName="chat")


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert error.value.response["Error"]["Code"] == "ValidationException"
    return error.value.response["Error"]["Message"]


def test_an_endpoint_enters_service_when_the_clock_has_passed_its_creation(sagemaker, clock):
    assert sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")["EndpointArn"] == ARN
    creating = describe(sagemaker)
    assert creating["EndpointStatus"] == "Creating"
    assert "ProductionVariants" not in creating
    pending = creating["PendingDeploymentSummary"]
    assert pending["EndpointConfigName"] == "old"
    assert pending["ProductionVariants"][0]["CurrentInstanceCount"] == 0
    assert pending["ProductionVariants"][0]["DesiredInstanceCount"] == 2

    clock.advance(59)
    assert describe(sagemaker)["EndpointStatus"] == "Creating"
    clock.advance(1_000)
    ready = describe(sagemaker)
    assert ready["EndpointStatus"] == "InService"
    assert ready["EndpointConfigName"] == "old"
    assert "PendingDeploymentSummary" not in ready
    assert (ready["LastModifiedTime"] - ready["CreationTime"]).total_seconds() == 60
    assert ready["ProductionVariants"] == [
        {
            "VariantName": "main",
            "CurrentInstanceCount": 2,
            "DesiredInstanceCount": 2,
            "CurrentWeight": 1.0,
            "DesiredWeight": 1.0,
            "RoutingConfig": {"RoutingStrategy": "RANDOM"},
            "DeployedImages": [{"SpecifiedImage": "vllm:1", "ResolvedImage": "vllm:1"}],
        }
    ]


def test_the_old_config_stays_in_force_until_an_update_is_done(in_service, clock):
    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="new", DeploymentConfig=CANARY)
    updating = describe(in_service)
    assert updating["EndpointStatus"] == "Updating"
    assert updating["EndpointConfigName"] == "old"
    assert updating["ProductionVariants"][0]["RoutingConfig"] == {"RoutingStrategy": "RANDOM"}
    pending = updating["PendingDeploymentSummary"]
    assert pending["EndpointConfigName"] == "new"
    assert pending["ProductionVariants"][0]["RoutingConfig"] == PREFIX_AWARE
    assert pending["ProductionVariants"][0]["InstanceType"] == "ml.p5.48xlarge"
    assert "LastDeploymentConfig" not in updating

    clock.advance(90)
    updated = describe(in_service)
    assert updated["EndpointStatus"] == "InService"
    assert updated["EndpointConfigName"] == "new"
    assert updated["ProductionVariants"][0]["RoutingConfig"] == PREFIX_AWARE
    assert updated["ProductionVariants"][0]["CurrentInstanceCount"] == 4
    assert updated["LastDeploymentConfig"] == CANARY
    assert "PendingDeploymentSummary" not in updated


def test_a_failed_creation_says_why_and_leaves_only_deletion(sagemaker, clock):
    fail_next_deployment("chat", "The container did not pass its ping health check.")
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    clock.advance(60)
    failed = describe(sagemaker)
    assert failed["EndpointStatus"] == "Failed"
    assert failed["FailureReason"] == "The container did not pass its ping health check."
    assert "is Failed" in refused(sagemaker.update_endpoint, EndpointName="chat", EndpointConfigName="new")

    sagemaker.delete_endpoint(EndpointName="chat")
    clock.advance(10)
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    clock.advance(60)
    assert describe(sagemaker)["EndpointStatus"] == "InService"


def test_a_failed_update_rolls_back_to_the_old_config(in_service, clock):
    fail_next_deployment("chat", "Alarm p99 went off.")
    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    clock.advance(90)
    rolling_back = describe(in_service)
    assert rolling_back["EndpointStatus"] == "RollingBack"
    assert rolling_back["EndpointConfigName"] == "old"
    assert "in-progress" in refused(in_service.update_endpoint, EndpointName="chat", EndpointConfigName="new")

    clock.advance(30)
    back = describe(in_service)
    assert back["EndpointStatus"] == "InService"
    assert back["EndpointConfigName"] == "old"
    assert back["FailureReason"] == "Alarm p99 went off."
    assert back["ProductionVariants"][0]["CurrentInstanceCount"] == 2

    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    clock.advance(90)
    assert describe(in_service)["EndpointConfigName"] == "new"
    assert "FailureReason" not in describe(in_service)


def test_a_fault_needs_a_reason_and_a_region_that_exists(sagemaker):
    with pytest.raises(LocalEndpointError, match="reason is empty"):
        fail_next_deployment("chat", "")
    with pytest.raises(LocalEndpointError, match="no region mars-1"):
        fail_next_deployment("chat", "Dust.", region="mars-1")


@pytest.mark.parametrize("status", ["Creating", "Updating", "Deleting"])
def test_a_change_in_progress_takes_no_other(sagemaker, clock, status):
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    if status != "Creating":
        clock.advance(60)
    if status == "Updating":
        sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    if status == "Deleting":
        sagemaker.delete_endpoint(EndpointName="chat")
    message = f'Cannot update in-progress endpoint "{ARN}": its status is {status}.'
    weights = [{"VariantName": "main", "DesiredWeight": 2.0}]
    assert refused(sagemaker.update_endpoint, EndpointName="chat", EndpointConfigName="new") == message
    assert refused(sagemaker.delete_endpoint, EndpointName="chat") == message
    resize = sagemaker.update_endpoint_weights_and_capacities
    assert refused(resize, EndpointName="chat", DesiredWeightsAndCapacities=weights) == message


def test_a_deleted_endpoint_is_gone_after_a_while(in_service, clock):
    in_service.delete_endpoint(EndpointName="chat")
    assert describe(in_service)["EndpointStatus"] == "Deleting"
    clock.advance(10)
    assert refused(in_service.describe_endpoint, EndpointName="chat") == f'Could not find endpoint "{ARN}".'
    assert refused(in_service.delete_endpoint, EndpointName="chat") == f'Could not find endpoint "{ARN}".'
    assert in_service.list_endpoints()["Endpoints"] == []


def test_retained_properties_outlive_an_update(in_service, clock):
    wanted = [{"VariantName": "main", "DesiredInstanceCount": 7, "DesiredWeight": 5.0}]
    in_service.update_endpoint_weights_and_capacities(EndpointName="chat", DesiredWeightsAndCapacities=wanted)
    clock.advance(90)
    in_service.update_endpoint(
        EndpointName="chat",
        EndpointConfigName="new",
        RetainAllVariantProperties=True,
        ExcludeRetainedVariantProperties=[{"VariantPropertyType": "DesiredWeight"}],
    )
    clock.advance(90)
    variant = describe(in_service)["ProductionVariants"][0]
    assert (variant["CurrentInstanceCount"], variant["CurrentWeight"]) == (7, 3.0)
    assert variant["RoutingConfig"] == PREFIX_AWARE

    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="old")
    clock.advance(90)
    variant = describe(in_service)["ProductionVariants"][0]
    assert (variant["CurrentInstanceCount"], variant["CurrentWeight"]) == (2, 1.0)


def test_a_variant_that_is_new_to_the_endpoint_retains_nothing(in_service, clock):
    config(in_service, "renamed", VariantName="renamed", InitialInstanceCount=6)
    in_service.update_endpoint(
        EndpointName="chat",
        EndpointConfigName="renamed",
        RetainAllVariantProperties=True,
        ExcludeRetainedVariantProperties=[{"VariantPropertyType": "DesiredInstanceCount"}],
    )
    clock.advance(90)
    variants = describe(in_service)["ProductionVariants"]
    assert [(each["VariantName"], each["CurrentInstanceCount"]) for each in variants] == [("renamed", 6)]


def test_an_excluded_instance_count_comes_from_the_new_config(in_service, clock):
    in_service.update_endpoint(
        EndpointName="chat",
        EndpointConfigName="new",
        RetainAllVariantProperties=True,
        ExcludeRetainedVariantProperties=[{"VariantPropertyType": "DesiredInstanceCount"}],
    )
    clock.advance(90)
    variant = describe(in_service)["ProductionVariants"][0]
    assert (variant["CurrentInstanceCount"], variant["CurrentWeight"]) == (4, 1.0)


def test_the_last_deployment_config_is_reused_when_asked_for(in_service, clock):
    for name, retain in (("new", {"DeploymentConfig": CANARY}), ("old", {"RetainDeploymentConfig": True})):
        in_service.update_endpoint(EndpointName="chat", EndpointConfigName=name, **retain)
        clock.advance(90)
        assert describe(in_service)["LastDeploymentConfig"] == CANARY
    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    clock.advance(90)
    assert "LastDeploymentConfig" not in describe(in_service)


def test_weights_and_capacities_change_after_a_while(in_service, clock):
    resize = in_service.update_endpoint_weights_and_capacities
    resize(EndpointName="chat", DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 5}])
    changing = describe(in_service)
    assert changing["EndpointStatus"] == "Updating"
    assert changing["ProductionVariants"][0]["DesiredInstanceCount"] == 5
    assert changing["ProductionVariants"][0]["CurrentInstanceCount"] == 2
    clock.advance(90)
    changed = describe(in_service)
    assert changed["EndpointStatus"] == "InService"
    assert changed["ProductionVariants"][0]["CurrentInstanceCount"] == 5
    assert changed["ProductionVariants"][0]["CurrentWeight"] == 1.0

    unknown = [{"VariantName": "else", "DesiredInstanceCount": 5}]
    assert "not present" in refused(resize, EndpointName="chat", DesiredWeightsAndCapacities=unknown)
    twice = [{"VariantName": "main", "DesiredWeight": 1.0}] * 2
    assert "non-unique" in refused(resize, EndpointName="chat", DesiredWeightsAndCapacities=twice)


def test_pools_and_scaling_appear_in_the_summary(sagemaker, clock):
    scaling = {"Status": "ENABLED", "MinInstanceCount": 3, "MaxInstanceCount": 9}
    pools = [{"InstanceType": "ml.p5en.48xlarge", "Priority": 2}, {"InstanceType": "ml.p5.48xlarge", "Priority": 1}]
    changes = {"InstanceType": None, "InitialInstanceCount": None, "InstancePools": pools}
    config(sagemaker, "pools", ManagedInstanceScaling=scaling, **changes)
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="pools")
    clock.advance(60)
    variant = describe(sagemaker)["ProductionVariants"][0]
    assert variant["ManagedInstanceScaling"] == scaling
    assert variant["CurrentInstanceCount"] == 3
    assert variant["InstancePools"] == [
        {"InstanceType": "ml.p5.48xlarge", "CurrentInstanceCount": 3},
        {"InstanceType": "ml.p5en.48xlarge", "CurrentInstanceCount": 0},
    ]


def test_a_serverless_variant_has_concurrency_instead_of_instances(sagemaker, clock):
    serverless = {"MemorySizeInMB": 2_048, "MaxConcurrency": 5}
    config(sagemaker, "serverless", InstanceType=None, InitialInstanceCount=None, ServerlessConfig=serverless)
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="serverless")
    clock.advance(60)
    more = [{"VariantName": "main", "ServerlessUpdateConfig": {"MaxConcurrency": 8}}]
    sagemaker.update_endpoint_weights_and_capacities(EndpointName="chat", DesiredWeightsAndCapacities=more)
    variant = describe(sagemaker)["ProductionVariants"][0]
    assert variant["DesiredServerlessConfig"] == serverless | {"MaxConcurrency": 8}
    assert "CurrentInstanceCount" not in variant


def test_a_config_in_force_or_on_its_way_cannot_be_deleted(in_service, clock):
    in_service.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    for name in ("old", "new"):
        assert ARN in refused(in_service.delete_endpoint_config, EndpointConfigName=name)
    clock.advance(90)
    in_service.delete_endpoint_config(EndpointConfigName="old")
    assert ARN in refused(in_service.delete_endpoint_config, EndpointConfigName="new")


def test_a_model_can_go_while_its_endpoint_stays(in_service):
    in_service.delete_model(ModelName="llama")
    assert describe(in_service)["EndpointStatus"] == "InService"
    missing = refused(in_service.update_endpoint, EndpointName="chat", EndpointConfigName="new")
    assert missing.startswith("Could not find model")
    assert describe(in_service)["EndpointStatus"] == "InService"


def test_endpoint_names_are_taken_in_any_case(in_service):
    taken = f'Cannot create already existing endpoint "{ARN}".'
    for name in ("chat", "Chat"):
        assert refused(in_service.create_endpoint, EndpointName=name, EndpointConfigName="old") == taken


def test_what_is_missing_cannot_be_found(in_service):
    missing = refused(in_service.create_endpoint, EndpointName="other", EndpointConfigName="none")
    assert missing.startswith("Could not find endpoint configuration")
    missing = refused(in_service.update_endpoint, EndpointName="other", EndpointConfigName="old")
    assert missing.startswith("Could not find endpoint ")
    assert len(in_service.list_endpoints()["Endpoints"]) == 1


def test_endpoints_are_listed_by_their_status_of_now(in_service, clock):
    in_service.create_endpoint(EndpointName="other", EndpointConfigName="old")

    def names(**request):
        return [each["EndpointName"] for each in in_service.list_endpoints(**request)["Endpoints"]]

    assert names(StatusEquals="Creating") == ["other"]
    assert names(SortBy="Status", SortOrder="Ascending") == ["other", "chat"]
    clock.advance(60)
    assert names(StatusEquals="InService", SortBy="Name", SortOrder="Ascending") == ["chat", "other"]


def test_what_the_config_says_of_the_endpoint_is_repeated(sagemaker, clock):
    asked = {
        "DataCaptureConfig": {
            "EnableCapture": True,
            "InitialSamplingPercentage": 10,
            "DestinationS3Uri": "s3://bucket/capture",
            "CaptureOptions": [{"CaptureMode": "Input"}],
        },
        "MetricsConfig": {"EnableEnhancedMetrics": True},
        "AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://bucket/out"}},
    }
    variant = {"VariantName": "main", "ModelName": "llama", "InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    shadow = variant | {"VariantName": "shadow", "RoutingConfig": PREFIX_AWARE}
    sagemaker.create_endpoint_config(
        EndpointConfigName="full", ProductionVariants=[variant], ShadowProductionVariants=[shadow], **asked
    )
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="full")
    pending = describe(sagemaker)["PendingDeploymentSummary"]
    assert pending["ShadowProductionVariants"][0]["VariantName"] == "shadow"
    clock.advance(60)
    described = describe(sagemaker)
    assert described["ShadowProductionVariants"][0]["RoutingConfig"] == PREFIX_AWARE
    assert described["DataCaptureConfig"]["CaptureStatus"] == "Started"
    assert described["DataCaptureConfig"]["CurrentSamplingPercentage"] == 10
    assert described["MetricsConfig"] == asked["MetricsConfig"]
    assert described["AsyncInferenceConfig"] == asked["AsyncInferenceConfig"]
