from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from warmroute.local.control import Clock, Durations, endpoint_in_force, fail_next_deployment, install

REGION, ACCOUNT = "us-east-1", "123456789012"
PREFIX_AWARE = {
    "RoutingStrategy": "PREFIX_AWARE",
    "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
}


@pytest.fixture
def clock():
    return Clock(speed=0, start=1_800_000_000.0)


@pytest.fixture
def sagemaker(clock):
    install(clock=clock, durations=Durations(creating=60, updating=60, deleting=10))
    with mock_aws():
        client = boto3.client("sagemaker", region_name=REGION)
        client.create_model(
            ModelName="llama", PrimaryContainer={"Image": "vllm:1", "Environment": {"SM_VLLM_MAX_NUM_SEQS": "64"}}
        )
        main = {"VariantName": "main", "ModelName": "llama", "InstanceType": "ml.p5.48xlarge"}
        client.create_endpoint_config(
            EndpointConfigName="old",
            ProductionVariants=[main | {"InitialInstanceCount": 2}],
            ShadowProductionVariants=[main | {"VariantName": "shadow", "InitialInstanceCount": 1}],
        )
        pools = [{"InstanceType": "ml.g6e.48xlarge", "Priority": 2}, {"InstanceType": "ml.p5.48xlarge", "Priority": 1}]
        pooled = {"VariantName": "pooled", "ModelName": "llama", "InstancePools": pools, "RoutingConfig": PREFIX_AWARE}
        client.create_endpoint_config(
            EndpointConfigName="new",
            ProductionVariants=[main | {"InitialVariantWeight": 3.0}, pooled | {"InitialInstanceCount": 4}],
        )
        client.create_endpoint(EndpointName="chat", EndpointConfigName="old")
        yield client
    install(clock=Clock(), durations=Durations())


def state():
    return endpoint_in_force(ACCOUNT, REGION, "chat")


def test_nothing_is_in_force_before_the_first_deployment(sagemaker):
    assert (state().status, state().variants, state().shadow_variants) == ("Creating", (), ())


def test_variants_in_force_carry_what_a_data_plane_needs(sagemaker, clock):
    clock.advance(60)
    main = state().variants[0]
    assert (main.name, main.weight, main.instance_count, main.instance_type) == ("main", 1.0, 2, "ml.p5.48xlarge")
    assert (main.model_name, main.model_image) == ("llama", "vllm:1")
    assert main.model_environment == {"SM_VLLM_MAX_NUM_SEQS": "64"}
    assert main.routing_config is None
    assert [variant.name for variant in state().shadow_variants] == ["shadow"]


def test_the_old_variants_are_in_force_until_an_update_is_done(sagemaker, clock):
    clock.advance(60)
    sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    during = state()
    assert (during.status, during.endpoint_config_name) == ("Updating", "old")
    assert [variant.name for variant in during.variants] == ["main"]
    clock.advance(60)
    after = state()
    assert (after.status, after.endpoint_config_name, after.shadow_variants) == ("InService", "new", ())
    main, pooled = after.variants
    assert (main.weight, main.instance_count) == (3.0, 1)
    assert (pooled.instance_type, pooled.instance_count) == ("ml.p5.48xlarge", 4)
    assert pooled.routing_config == PREFIX_AWARE


def test_the_same_object_comes_back_until_something_changes(sagemaker, clock):
    clock.advance(60)
    before = state()
    clock.advance(1_000)
    sagemaker.describe_endpoint(EndpointName="chat")
    assert state() is before
    weights = [{"VariantName": "main", "DesiredInstanceCount": 3}]
    sagemaker.update_endpoint_weights_and_capacities(EndpointName="chat", DesiredWeightsAndCapacities=weights)
    assert state().status == "Updating"
    clock.advance(60)
    assert state().variants[0].instance_count == 3


def test_every_deployment_is_told_apart(sagemaker, clock):
    def serial():
        clock.advance(60)
        return state().deployment_serial

    assert state().deployment_serial == 0
    serials = [serial()]
    for config in ("new", "old"):
        sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName=config)
        clock.advance(60)
    serials.append(serial())
    sagemaker.delete_endpoint(EndpointName="chat")
    clock.advance(10)
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    serials.append(serial())
    assert len(set(serials)) == 3


def test_scaling_and_a_roll_back_are_no_new_deployments(sagemaker, clock):
    clock.advance(60)
    before = state().deployment_serial
    weights = [{"VariantName": "main", "DesiredInstanceCount": 3}]
    sagemaker.update_endpoint_weights_and_capacities(EndpointName="chat", DesiredWeightsAndCapacities=weights)
    clock.advance(60)
    fail_next_deployment("chat", "Alarm p99 went off.")
    sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    clock.advance(120)
    assert (state().status, state().deployment_serial) == ("InService", before)


def test_a_reset_does_not_bring_serials_back(clock):
    seen = set()
    for _ in range(2):
        install(clock=clock, durations=Durations())
        with mock_aws():
            client = boto3.client("sagemaker", region_name=REGION)
            client.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"})
            variant = {"VariantName": "main", "ModelName": "llama", "InstanceType": "ml.p5.48xlarge"}
            client.create_endpoint_config(
                EndpointConfigName="old", ProductionVariants=[variant | {"InitialInstanceCount": 1}]
            )
            client.create_endpoint(EndpointName="chat", EndpointConfigName="old")
            clock.advance(60)
            seen.add(state().deployment_serial)
    install(clock=Clock(), durations=Durations())
    assert len(seen) == 2


def test_a_serverless_variant_is_said_to_be_one(sagemaker, clock):
    serverless = {"MemorySizeInMB": 2_048, "MaxConcurrency": 5}
    variant = {"VariantName": "main", "ModelName": "llama", "ServerlessConfig": serverless}
    sagemaker.create_endpoint_config(EndpointConfigName="less", ProductionVariants=[variant])
    clock.advance(60)
    assert not state().variants[0].is_serverless
    sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="less")
    clock.advance(60)
    assert state().variants[0].is_serverless


def test_what_is_in_force_cannot_be_changed_from_outside(sagemaker, clock):
    clock.advance(60)
    with pytest.raises(AttributeError):
        state().status = "Failed"
    with pytest.raises(TypeError):
        state().variants[0].model_environment["SM_VLLM_MAX_NUM_SEQS"] = "1"


def test_a_deleted_model_still_runs(sagemaker, clock):
    clock.advance(60)
    sagemaker.delete_model(ModelName="llama")
    assert state().variants[0].model_image == "vllm:1"


def test_what_does_not_exist_is_none(sagemaker, clock):
    assert endpoint_in_force(ACCOUNT, REGION, "else") is None
    assert endpoint_in_force(ACCOUNT, REGION, "Chat") is None
    assert endpoint_in_force(ACCOUNT, "eu-west-1", "chat") is None
    assert endpoint_in_force(ACCOUNT, "mars-1", "chat") is None
    assert endpoint_in_force("111111111111", REGION, "chat") is None
    clock.advance(60)
    sagemaker.delete_endpoint(EndpointName="chat")
    assert state().status == "Deleting"
    clock.advance(10)
    assert state() is None


def test_accounts_and_regions_are_apart(sagemaker):
    elsewhere = boto3.client("sagemaker", region_name="eu-west-1")
    assert elsewhere.list_endpoints()["Endpoints"] == []
    elsewhere.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:2"})
    assert sagemaker.describe_model(ModelName="llama")["PrimaryContainer"]["Image"] == "vllm:1"


def test_a_reset_of_moto_forgets_everything_and_takes_the_clock_of_now():
    for start in (1_800_000_000.0, 1_900_000_000.0):
        install(clock=Clock(speed=0, start=start))
        with mock_aws():
            client = boto3.client("sagemaker", region_name=REGION)
            assert client.list_models()["Models"] == []
            client.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"})
            assert client.describe_model(ModelName="llama")["CreationTime"].timestamp() == start
    install(clock=Clock())
