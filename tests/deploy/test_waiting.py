"""What ends the wait for an endpoint or a component, and what is said then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from warmroute.demo import example_spec
from warmroute.deploy.account.aws import Aws
from warmroute.deploy.changing.waiting import LONGEST_WAIT_SECONDS, wait_for_component, wait_until_gone
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control.hooks import registry_at

if TYPE_CHECKING:
    from conftest import Account

NAMED = {"InferenceComponentName": "llama"}
SPEC = EndpointSpec.parse(
    {
        **example_spec().model_dump(exclude_none=True),
        "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
        "inference_components": [
            {
                "name": "llama",
                "specification": {"compute_resource_requirements": {"min_memory_required_in_mb": 1_024}},
            }
        ],
    }
)


@pytest.fixture
def aws(account: Account) -> Aws:
    account.deploy(SPEC)
    return Aws(account.session, "us-east-1")


def _ignore(_: Any) -> None:
    """Nobody is told."""


def _become(status: str) -> None:
    component = registry_at("123456789012", "us-east-1").components["llama"]
    component.status, component.failure_reason = status, "no room"


def _wait_for_component(aws: Aws) -> None:
    wait_for_component(aws, "llama", poll_seconds=600, on_progress=_ignore)


def _wait_until_gone(aws: Aws) -> None:
    wait_until_gone(aws, "describe_inference_component", NAMED, "component", poll_seconds=600, on_progress=_ignore)


def test_a_component_that_fails_is_told_with_its_reason_and_its_log(aws: Aws) -> None:
    _become("Failed")

    with pytest.raises(DeploymentError, match="Inference component llama failed: no room") as error:
        _wait_for_component(aws)

    assert "InferenceComponents$252Fllama" in str(error.value)


def test_a_component_that_somebody_deletes_is_not_waited_for(aws: Aws, account: Account) -> None:
    account.sagemaker.delete_inference_component(**NAMED)

    with pytest.raises(DeploymentError, match="llama is gone: it was deleted while it was waited for"):
        _wait_for_component(aws)


def test_what_cannot_be_deleted_is_told(aws: Aws) -> None:
    _become("Failed")

    with pytest.raises(DeploymentError, match=r"component llama cannot be deleted: no room\. Try again\."):
        _wait_until_gone(aws)


def test_what_does_not_go_is_waited_for_only_so_long(aws: Aws, account: Account) -> None:
    before = account.clock.now()

    with pytest.raises(DeploymentError, match=f"llama has not settled within {LONGEST_WAIT_SECONDS:,.0f} seconds"):
        _wait_until_gone(aws)

    assert LONGEST_WAIT_SECONDS < account.clock.now() - before < LONGEST_WAIT_SECONDS + 1_200


def test_an_account_that_stops_answering_ends_the_wait_with_what_goes_on(aws: Aws, account: Account) -> None:
    account.session.events.register("before-call.sagemaker.DescribeInferenceComponent", _denied)

    with pytest.raises(DeploymentError, match="AccessDenied") as error:
        _wait_until_gone(aws)

    assert "What SageMaker has begun goes on; apply again to follow it." in str(error.value)


def _denied(**_: Any) -> None:
    raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "DescribeInferenceComponent")
