"""Endpoints that are taken over can go back to what they ran; nobody else's configuration is gone back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warmroute.demo import example_spec
from warmroute.deploy import DeployedEndpoint, Outcome
from warmroute.errors import DeploymentError
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

    from warmroute.hosting import EndpointSpec

OWN_NAME = "theirs-0123456789"


def _deployed(account: Account, name: str = "theirs") -> DeployedEndpoint:
    return DeployedEndpoint(name, account.session, region="us-east-1", poll_seconds=1)


def _made_by_hand(account: Account, config: str) -> EndpointSpec:
    """The spec of an endpoint as a person makes it with boto3."""
    account.sagemaker.create_model(ModelName="their-model", PrimaryContainer={"Image": "registry/app:1"})
    variant = {"VariantName": "main", "ModelName": "their-model", "InstanceType": "ml.g6.2xlarge"}
    account.sagemaker.create_endpoint_config(
        EndpointConfigName=config, ProductionVariants=[{**variant, "InitialInstanceCount": 2}]
    )
    account.sagemaker.create_endpoint(EndpointName="theirs", EndpointConfigName=config)
    account.clock.advance(60)
    return _deployed(account).to_spec().spec


def _changed(spec: EndpointSpec) -> EndpointSpec:
    variant = spec.variants[0].model_copy(update={"routing_config": RoutingConfig.least_outstanding_requests()})
    return spec.model_copy(update={"variants": (variant,)})


@pytest.mark.parametrize("config", ["their-config", OWN_NAME])
@pytest.mark.parametrize("at_once", [False, True], ids=["then changed", "changed at once"])
def test_the_first_change_after_taking_over_can_be_rolled_back(account: Account, config: str, at_once: bool) -> None:
    spec = _made_by_hand(account, config)
    if not at_once:
        account.deploy(spec, adopt=True)
    account.deploy(_changed(spec), adopt=at_once)
    deployed = _deployed(account)
    assert config in [each.name for each in deployed.status().configurations]

    outcome = deployed.rollback()

    assert (outcome.result, outcome.endpoint_config) == ("updated", config)
    assert deployed.rollback().endpoint_config != config
    assert account.plan(_changed(spec)).is_empty


def test_what_was_taken_over_is_not_cleaned_up(account: Account) -> None:
    spec = _made_by_hand(account, "their-config")
    account.deploy(_changed(spec), adopt=True, keep=1)

    _deployed(account).destroy()

    names = [each["EndpointConfigName"] for each in account.sagemaker.list_endpoint_configs()["EndpointConfigs"]]
    assert names == ["their-config"]


def test_a_stop_while_taking_over_loses_nothing(account: Account) -> None:
    spec = _made_by_hand(account, "their-config")
    count = 0

    def stop(**_: object) -> None:
        nonlocal count
        count += 1
        if count == 2:
            raise KeyboardInterrupt

    account.session.events.register("before-call.sagemaker.AddTags", stop)
    with pytest.raises(KeyboardInterrupt):
        account.deploy(spec, adopt=True)
    account.deploy(spec, adopt=True)
    account.deploy(_changed(spec))

    assert _deployed(account).rollback().endpoint_config == "their-config"


@pytest.mark.parametrize("adopted", [False, True])
def test_a_configuration_of_another_endpoint_is_not_gone_back_to(account: Account, adopted: bool) -> None:
    other: Outcome = account.deploy(example_spec())[0]
    name = "second"
    account.deploy(example_spec().model_copy(update={"name": name}))
    if adopted:
        name = "theirs"
        account.deploy(_made_by_hand(account, "their-config"), adopt=True)
    account.changes()

    with pytest.raises(DeploymentError, match=r"was made for endpoint support-bot, .* `warmroute status"):
        _deployed(account, name).rollback(to=other.endpoint_config)

    assert account.changes() == []
