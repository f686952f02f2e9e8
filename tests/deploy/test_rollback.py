"""Going back to what served before: what keeps an endpoint from it, and what happens meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ConnectionClosedError

from warmroute.demo import example_spec
from warmroute.deploy import DeployedEndpoint
from warmroute.errors import DeploymentError
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

    from warmroute.hosting import EndpointSpec

SPEC = example_spec()


def _with(length: int) -> EndpointSpec:
    routing = RoutingConfig.prefix_aware(prefix_length=length, concurrency_threshold=16)
    return SPEC.model_copy(update={"variants": (SPEC.variants[0].model_copy(update={"routing_config": routing}),)})


@pytest.fixture
def first(account: Account) -> str:
    """The configuration that served before the one that serves now."""
    outcome, _ = account.deploy(_with(4_096))
    account.deploy(_with(8_192))
    return outcome.endpoint_config


def _back(account: Account, **options: Any) -> str:
    return DeployedEndpoint("support-bot", account.session, poll_seconds=1).rollback(**options).endpoint_config


def _running(account: Account) -> str:
    name: str = account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointConfigName"]
    return name


def _other() -> Any:
    return boto3.client("sagemaker", "us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")


def test_an_endpoint_in_the_middle_of_another_update_is_left_alone(account: Account, first: str) -> None:
    account.deploy(_with(16_384), wait=False)

    with pytest.raises(DeploymentError, match="support-bot is in state Updating, so it cannot be changed now"):
        _back(account, to=first)


def test_a_configuration_whose_model_is_gone_is_not_gone_back_to(account: Account, first: str) -> None:
    before = _running(account)
    (variant,) = account.sagemaker.describe_endpoint_config(EndpointConfigName=first)["ProductionVariants"]
    account.sagemaker.delete_model(ModelName=variant["ModelName"])

    with pytest.raises(DeploymentError, match=f"{first} needs models that are gone: {variant['ModelName']}"):
        _back(account, to=first)

    assert _running(account) == before


def test_a_configuration_that_a_clean_up_deletes_meanwhile_is_made_again(account: Account, first: str) -> None:
    left = [first]

    def clean_up(**_: Any) -> None:
        if left:
            _other().delete_endpoint_config(EndpointConfigName=left.pop())

    account.session.events.register("before-call.sagemaker.AddTags", clean_up)

    assert _back(account) == first
    assert _running(account) == first
    (variant,) = account.sagemaker.describe_endpoint_config(EndpointConfigName=first)["ProductionVariants"]
    assert variant["RoutingConfig"]["PrefixAwareRoutingConfig"]["PrefixLength"] == 4_096


def test_an_answer_that_is_lost_does_not_matter(account: Account, first: str) -> None:
    left = [None]

    def lose(**_: Any) -> None:
        if left:
            left.pop()
            raise ConnectionClosedError(endpoint_url="https://api.sagemaker.us-east-1.amazonaws.com")

    account.session.events.register("after-call.sagemaker.UpdateEndpoint", lose)

    assert _back(account) == first
    assert _running(account) == first


def test_an_endpoint_that_somebody_else_updates_first_is_theirs(account: Account, first: str) -> None:
    running = _running(account)

    def take(**_: Any) -> None:
        _other().update_endpoint(EndpointName="support-bot", EndpointConfigName=running)

    account.session.events.register("before-call.sagemaker.UpdateEndpoint", take)

    with pytest.raises(DeploymentError, match="UpdateEndpoint"):
        _back(account)
