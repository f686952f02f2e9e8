"""Changes that do not last, and parts of the account that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from warmroute.demo import example_spec
from warmroute.deploy import DeployedEndpoint
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control.hooks import registry_at

if TYPE_CHECKING:
    from conftest import Account

SPEC = example_spec()


def _scaled() -> EndpointSpec:
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9}]
    return EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), "auto_scaling": scaling})


def _deny(account: Account, call: str) -> None:
    operation = call.rpartition(".")[2]

    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, operation)

    account.session.events.register(f"before-call.{call}", refuse)


def test_counts_that_somebody_else_takes_back_are_told(account: Account) -> None:
    account.deploy(SPEC)
    variant = SPEC.variants[0].model_copy(update={"initial_instance_count": 9})

    def hide(parsed: dict[str, Any], **_: Any) -> None:
        for each in parsed.get("ProductionVariants", ()):
            each["DesiredInstanceCount"] = each["CurrentInstanceCount"] = 7

    account.session.events.register("after-call.sagemaker.DescribeEndpoint", hide)

    with pytest.raises(DeploymentError, match="Counts or weights of endpoint support-bot have been changed") as error:
        account.deploy(SPEC.model_copy(update={"variants": (variant,)}))

    assert "Does somebody else change them too? Apply again." in str(error.value)


def test_scaling_that_is_taken_back_is_told(account: Account) -> None:
    account.deploy(SPEC)

    def hide(parsed: dict[str, Any], **_: Any) -> None:
        parsed["ScalableTargets"] = []

    account.session.events.register("after-call.application-autoscaling.DescribeScalableTargets", hide)

    with pytest.raises(DeploymentError, match="The scaling of endpoint/support-bot/variant/main was put, and"):
        account.deploy(_scaled())


def test_without_permission_to_look_at_scaling_a_spec_that_has_none_is_deployed(account: Account) -> None:
    _deny(account, "application-autoscaling.DescribeScalableTargets")

    outcome, _ = account.deploy(SPEC)

    assert outcome.result == "created"
    with pytest.raises(DeploymentError, match="DescribeScalableTargets: AccessDeniedException"):
        account.deploy(_scaled())


def test_scheduled_actions_that_cannot_be_read_are_told_by_an_import(account: Account) -> None:
    account.deploy(_scaled())
    _deny(account, "application-autoscaling.DescribeScheduledActions")

    imported = DeployedEndpoint("support-bot", account.session).to_spec()

    assert "scheduled actions of endpoint/support-bot/variant/main, which cannot be read" in imported.left_out


def test_an_endpoint_whose_configuration_was_deleted_cannot_be_imported(account: Account) -> None:
    outcome, _ = account.deploy(SPEC)
    del registry_at("123456789012", "us-east-1").endpoint_configs[outcome.endpoint_config]

    with pytest.raises(
        DeploymentError, match=f"configuration {outcome.endpoint_config} of .* has been deleted"
    ) as error:
        DeployedEndpoint("support-bot", account.session).to_spec()

    assert "Apply a spec to the endpoint to give it one again." in str(error.value)
