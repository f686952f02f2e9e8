"""The end of an endpoint: what is not deleted, and what somebody else does meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from warmroute.demo import example_spec
from warmroute.deploy import DeployedEndpoint
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec

if TYPE_CHECKING:
    from conftest import Account

NEEDS = {"compute_resource_requirements": {"min_memory_required_in_mb": 1_024}}
SHARED = EndpointSpec.parse(
    {
        **example_spec().model_dump(exclude_none=True),
        "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
        "inference_components": [{"name": "llama", "specification": NEEDS}],
    }
)


def _deployed(account: Account) -> DeployedEndpoint:
    return DeployedEndpoint("support-bot", account.session, poll_seconds=1)


def _other() -> Any:
    return boto3.client("sagemaker", "us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")


def _add(client: Any) -> None:
    client.create_inference_component(
        InferenceComponentName="theirs",
        EndpointName="support-bot",
        VariantName="main",
        Specification={
            "Container": {"Image": "vllm:1"},
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1_024},
        },
        RuntimeConfig={"CopyCount": 1},
    )


def test_an_endpoint_with_components_of_somebody_else_stays_whole(account: Account) -> None:
    account.deploy(SHARED)
    _add(account.sagemaker)
    account.clock.advance(60)
    account.calls.clear()

    with pytest.raises(
        DeploymentError, match="support-bot runs components that warmroute did not make: theirs"
    ) as error:
        _deployed(account).destroy()

    assert "Delete them first, or leave the endpoint." in str(error.value)
    assert account.changes() == []


def test_an_update_that_begins_meanwhile_is_waited_for(account: Account) -> None:
    account.deploy(example_spec())
    left = [None]

    def update(**_: Any) -> None:
        if left:
            left.pop()
            _other().update_endpoint_weights_and_capacities(
                EndpointName="support-bot",
                DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 9}],
            )

    account.session.events.register("before-call.sagemaker.DeleteEndpoint", update)

    assert "support-bot" in _deployed(account).destroy()
    assert account.sagemaker.list_endpoints()["Endpoints"] == []


def test_a_component_that_comes_meanwhile_keeps_the_endpoint(account: Account) -> None:
    account.deploy(SHARED)
    left = [None]

    def add(**_: Any) -> None:
        if left:
            left.pop()
            _add(_other())

    account.session.events.register("before-call.sagemaker.DeleteEndpoint", add)

    with pytest.raises(DeploymentError, match="DeleteEndpoint"):
        _deployed(account).destroy()
