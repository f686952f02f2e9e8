"""The control plane behind moto's own HTTP server, as boto3 and other SDKs see it."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError
from moto.server import ThreadedMotoServer

from warmroute.local.control import Clock, Durations, endpoint_in_force, fail_next_deployment, install

REGION, ACCOUNT = "us-east-1", "123456789012"
SOON = {"Delay": 0.05, "MaxAttempts": 200}
PREFIX_AWARE = {
    "RoutingStrategy": "PREFIX_AWARE",
    "PrefixAwareRoutingConfig": {"PrefixLength": 4_096, "ConcurrencyThreshold": 16},
}


@pytest.fixture(scope="module")
def address():
    # One virtual minute passes in half a second.
    install(clock=Clock(speed=120), durations=Durations(creating=60, updating=60, rolling_back=30, deleting=30))
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()
    server.stop()
    install(clock=Clock(), durations=Durations())


@pytest.fixture
def client(address):
    made = []

    def make(service):
        made.append(
            boto3.client(
                service,
                region_name=REGION,
                endpoint_url="http://{}:{}".format(*address),
                aws_access_key_id="local",
                aws_secret_access_key="local",
                config=Config(proxies={}),
            )
        )
        return made[-1]

    yield make
    for each in made:
        each.close()
    post(address, "/moto-api/reset", {})


@pytest.fixture
def sagemaker(client):
    sagemaker = client("sagemaker")
    sagemaker.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"})
    main = {
        "VariantName": "main",
        "ModelName": "llama",
        "InstanceType": "ml.p5.48xlarge",
        "InitialInstanceCount": 7,
    }
    sagemaker.create_endpoint_config(EndpointConfigName="old", ProductionVariants=[main])
    sagemaker.create_endpoint_config(
        EndpointConfigName="new", ProductionVariants=[main | {"RoutingConfig": PREFIX_AWARE}]
    )
    return sagemaker


def post(address, path, headers):
    connection = HTTPConnection(*address)
    connection.request("POST", path, body=b"{}", headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def in_service(sagemaker):
    sagemaker.get_waiter("endpoint_in_service").wait(EndpointName="chat", WaiterConfig=SOON)
    return sagemaker.describe_endpoint(EndpointName="chat")


def test_an_endpoint_is_created_updated_and_deleted_with_waiters(sagemaker):
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    assert sagemaker.describe_endpoint(EndpointName="chat")["EndpointStatus"] == "Creating"
    assert in_service(sagemaker)["ProductionVariants"][0]["CurrentInstanceCount"] == 7

    sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="new")
    assert endpoint_in_force(ACCOUNT, REGION, "chat").variants[0].routing_config is None
    assert in_service(sagemaker)["EndpointConfigName"] == "new"
    assert endpoint_in_force(ACCOUNT, REGION, "chat").variants[0].routing_config == PREFIX_AWARE

    fail_next_deployment("chat", "Alarm p99 went off.")
    sagemaker.update_endpoint(EndpointName="chat", EndpointConfigName="old")
    assert in_service(sagemaker)["EndpointConfigName"] == "new"

    sagemaker.delete_endpoint(EndpointName="chat")
    sagemaker.get_waiter("endpoint_deleted").wait(EndpointName="chat", WaiterConfig=SOON)
    assert endpoint_in_force(ACCOUNT, REGION, "chat") is None


def test_a_failed_creation_ends_the_wait(sagemaker):
    fail_next_deployment("chat", "The container did not pass its ping health check.")
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="old")
    with pytest.raises(WaiterError, match="Failed"):
        in_service(sagemaker)


def test_components_and_their_scaling_over_http(sagemaker, client):
    shared = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 2}
    sagemaker.create_endpoint_config(EndpointConfigName="shared", ProductionVariants=[shared])
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="shared")
    in_service(sagemaker)
    sagemaker.create_inference_component(
        InferenceComponentName="base",
        EndpointName="chat",
        VariantName="main",
        Specification={"ModelName": "llama", "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1_024}},
        RuntimeConfig={"CopyCount": 2},
    )
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "inference-component/base",
        "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
    }
    client("application-autoscaling").register_scalable_target(**target, MinCapacity=1, MaxCapacity=4)
    assert [each.name for each in endpoint_in_force(ACCOUNT, REGION, "chat").components] == ["base"]


def test_refusals_and_gaps_are_not_retried(sagemaker):
    for call, request, code in (
        (sagemaker.describe_endpoint, {"EndpointName": "none"}, "ValidationException"),
        (sagemaker.describe_hub, {"HubName": "hub"}, "NotImplemented"),
    ):
        with pytest.raises(ClientError) as error:
            call(**request)
        assert error.value.response["Error"]["Code"] == code
        assert error.value.response["ResponseMetadata"]["RetryAttempts"] == 0


def test_a_region_that_nobody_has_is_an_error_in_the_protocol(address):
    status, body = post(
        address,
        "/",
        {
            "X-Amz-Target": "SageMaker.ListEndpoints",
            "Content-Type": "application/x-amz-json-1.1",
            "Authorization": "AWS4-HMAC-SHA256 Credential=local/20270101/mars-1/sagemaker/aws4_request",
        },
    )
    assert status == 400
    assert json.loads(body)["Message"] == "SageMaker has no region mars-1."


def test_a_call_that_nobody_ever_heard_of_is_an_error_in_the_protocol(address):
    status, body = post(
        address,
        "/",
        {
            "X-Amz-Target": "SageMaker.BrewCoffee",
            "Content-Type": "application/x-amz-json-1.1",
            "Authorization": "AWS4-HMAC-SHA256 Credential=local/20270101/us-east-1/sagemaker/aws4_request",
        },
    )
    assert status == 400
    assert "BrewCoffee" in json.loads(body)["Message"]


def test_a_reset_forgets_the_account(sagemaker, address):
    post(address, "/moto-api/reset", {})
    assert sagemaker.list_models()["Models"] == []
