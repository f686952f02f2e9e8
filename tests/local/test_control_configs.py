from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from warmroute.local.control import Clock, Durations, install

REGION = "us-east-1"
ROLE = "arn:aws:iam::123456789012:role/execution"
PREFIX_AWARE = {
    "RoutingStrategy": "PREFIX_AWARE",
    "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
}


@pytest.fixture
def clock():
    return Clock(speed=0, start=1_800_000_000.0)


@pytest.fixture
def sagemaker(clock):
    install(clock=clock, durations=Durations())
    with mock_aws():
        client = boto3.client("sagemaker", region_name=REGION)
        client.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"}, ExecutionRoleArn=ROLE)
        yield client
    install(clock=Clock())


def variant(**changes):
    settings = {
        "VariantName": "main",
        "ModelName": "llama",
        "InstanceType": "ml.p5.48xlarge",
        "InitialInstanceCount": 2,
    } | changes
    return {key: value for key, value in settings.items() if value is not None}


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert error.value.response["Error"]["Code"] == "ValidationException"
    return error.value.response["Error"]["Message"]


def test_a_model_comes_back_as_it_was_asked_for(sagemaker):
    asked = {
        "ModelName": "other",
        "Containers": [{"Image": "first:1", "Environment": {"SM_VLLM_MODEL": "m"}}, {"Image": "second:1"}],
        "InferenceExecutionConfig": {"Mode": "Direct"},
        "ExecutionRoleArn": ROLE,
        "VpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]},
        "EnableNetworkIsolation": True,
    }
    sagemaker.create_model(**asked)
    described = sagemaker.describe_model(ModelName="other")
    assert asked.items() <= described.items()
    assert described["CreationTime"].timestamp() == 1_800_000_000.0


def test_a_taken_model_name_is_refused(sagemaker):
    said = refused(sagemaker.create_model, ModelName="llama", PrimaryContainer={"Image": "vllm:2"})
    assert said.startswith("Cannot create already existing model")
    assert sagemaker.describe_model(ModelName="llama")["PrimaryContainer"]["Image"] == "vllm:1"


def test_a_deleted_model_is_gone(sagemaker):
    sagemaker.delete_model(ModelName="llama")
    for call in (sagemaker.describe_model, sagemaker.delete_model):
        assert refused(call, ModelName="llama").startswith("Could not find model")


@pytest.mark.parametrize(
    "containers",
    [{}, {"PrimaryContainer": {"Image": "a"}, "Containers": [{"Image": "b"}]}],
    ids=["none", "both"],
)
def test_a_model_has_its_containers_in_one_place(sagemaker, containers):
    assert "either PrimaryContainer or Containers" in refused(sagemaker.create_model, ModelName="m", **containers)


def test_every_field_of_an_endpoint_config_comes_back(sagemaker):
    asked = {
        "EndpointConfigName": "full",
        "ProductionVariants": [variant(RoutingConfig=PREFIX_AWARE, InitialVariantWeight=2.0)],
        "ShadowProductionVariants": [variant(VariantName="shadow", InitialVariantWeight=1.0)],
        "DataCaptureConfig": {
            "InitialSamplingPercentage": 10,
            "DestinationS3Uri": "s3://bucket/capture",
            "CaptureOptions": [{"CaptureMode": "Input"}],
        },
        "MetricsConfig": {"EnableEnhancedMetrics": True, "MetricPublishFrequencyInSeconds": 10},
        "ExecutionRoleArn": ROLE,
        "VpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]},
        "EnableNetworkIsolation": True,
        "ExplainerConfig": {"ClarifyExplainerConfig": {"ShapConfig": {"ShapBaselineConfig": {"MimeType": "text/csv"}}}},
        "CrossRegionTrafficConfig": {"MaxInvocationsPerSecondPerInstance": 5, "MaxCrossRegionPercentPerEndpoint": 50},
        "AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://bucket/out"}},
        "KmsKeyId": "key",
    }
    sagemaker.create_endpoint_config(**asked)
    described = sagemaker.describe_endpoint_config(EndpointConfigName="full")
    assert asked.items() <= described.items()
    assert described["EndpointConfigArn"] == f"arn:aws:sagemaker:{REGION}:123456789012:endpoint-config/full"


@pytest.mark.parametrize(
    "capacity",
    [
        {"InstanceType": None, "InstancePools": [{"InstanceType": "ml.p5.48xlarge", "Priority": 1}]},
        {"InstanceType": "ml.g6e.48xlarge"},
        {
            "InstanceType": None,
            "InitialInstanceCount": None,
            "ServerlessConfig": {"MemorySizeInMB": 2_048, "MaxConcurrency": 5},
        },
        {"ModelName": None},
    ],
    ids=["pools", "instances", "serverless", "for components"],
)
def test_every_kind_of_capacity_is_accepted(sagemaker, capacity):
    asked = variant(InitialVariantWeight=1.0, **capacity)
    sagemaker.create_endpoint_config(EndpointConfigName="config", ProductionVariants=[asked], ExecutionRoleArn=ROLE)
    assert sagemaker.describe_endpoint_config(EndpointConfigName="config")["ProductionVariants"] == [asked]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"InstanceType": None}, "exactly one of InstanceType, InstancePools, ServerlessConfig; this one has none"),
        (
            {"InstancePools": [{"InstanceType": "ml.p5.48xlarge", "Priority": 1}]},
            "this one has InstanceType and InstancePools",
        ),
        (
            {"InstanceType": None, "ServerlessConfig": {"MemorySizeInMB": 2_000, "MaxConcurrency": 5}},
            "MemorySizeInMB is none of 1024, 2048",
        ),
        ({"ModelName": "missing"}, 'Could not find model "arn:aws:sagemaker:us-east-1:123456789012:model/missing"'),
        ({"InstanceType": "ml.imaginary.large"}, "enum value set"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(sagemaker, changes, said):
    request = {"EndpointConfigName": "config", "ProductionVariants": [variant(**changes)]}
    assert said in refused(sagemaker.create_endpoint_config, **request)
    assert sagemaker.list_endpoint_configs()["EndpointConfigs"] == []


@pytest.mark.parametrize(
    ("routing", "said"),
    [
        (
            {
                "RoutingStrategy": "PREFIX_AWARE",
                "PrefixAwareRoutingConfig": {"PrefixLength": 65_537, "ConcurrencyThreshold": 1},
            },
            "PrefixLength: 65537 is above 65,536",
        ),
        ({"RoutingStrategy": "PREFIX_AWARE"}, "PREFIX_AWARE needs prefix_length and concurrency_threshold"),
        (PREFIX_AWARE | {"RoutingStrategy": "RANDOM"}, "RANDOM takes no such settings"),
        ({"RoutingStrategy": "BOGUS"}, "'BOGUS' is not a choice"),
    ],
)
def test_routing_that_boto3_lets_pass_is_refused_in_our_words(sagemaker, routing, said):
    request = {"EndpointConfigName": "config", "ProductionVariants": [variant(RoutingConfig=routing)]}
    message = refused(sagemaker.create_endpoint_config, **request)
    assert message.startswith("ProductionVariants[0].RoutingConfig: ")
    assert said in message


def test_shadow_variants_come_one_to_one_and_have_routing_of_their_own(sagemaker):
    shadow = variant(VariantName="shadow", RoutingConfig={"RoutingStrategy": "BOGUS"})
    request = {"EndpointConfigName": "config", "ProductionVariants": [variant()]}
    message = refused(sagemaker.create_endpoint_config, **request, ShadowProductionVariants=[shadow])
    assert message.startswith("ShadowProductionVariants[0].RoutingConfig")
    request["ProductionVariants"].append(variant(VariantName="second"))
    message = refused(sagemaker.create_endpoint_config, **request, ShadowProductionVariants=[variant(VariantName="s")])
    assert "exactly one production variant and one shadow variant" in message


def test_variant_names_are_unique(sagemaker):
    request = {"EndpointConfigName": "config", "ProductionVariants": [variant(), variant()]}
    assert "main appears more than once" in refused(sagemaker.create_endpoint_config, **request)


def test_a_taken_config_name_is_refused(sagemaker):
    request = {"EndpointConfigName": "config", "ProductionVariants": [variant()]}
    sagemaker.create_endpoint_config(**request)
    message = refused(sagemaker.create_endpoint_config, **request)
    assert message.startswith("Cannot create already existing endpoint configuration")


def test_a_missing_config_cannot_be_found(sagemaker):
    for call in (sagemaker.describe_endpoint_config, sagemaker.delete_endpoint_config):
        assert refused(call, EndpointConfigName="none").startswith("Could not find endpoint configuration")


def test_lists_are_filtered_sorted_and_paged(sagemaker, clock):
    for name in ("b-new", "a-new", "c-old"):
        clock.advance(10)
        sagemaker.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant()])

    def names(**request):
        pages = sagemaker.get_paginator("list_endpoint_configs").paginate(**request)
        return [each["EndpointConfigName"] for page in pages for each in page["EndpointConfigs"]]

    assert names() == ["c-old", "a-new", "b-new"]
    assert names(SortBy="Name", SortOrder="Ascending", PaginationConfig={"PageSize": 1}) == ["a-new", "b-new", "c-old"]
    assert names(NameContains="new") == ["a-new", "b-new"]
    assert names(CreationTimeAfter=1_800_000_015, CreationTimeBefore=1_800_000_025) == ["a-new"]
    assert [each["ModelName"] for each in sagemaker.list_models()["Models"]] == ["llama"]
    assert "Invalid NextToken" in refused(sagemaker.list_models, NextToken="else")
