"""Resources with no room for more tags are found before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from warmroute.demo import example_spec
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

SPEC = example_spec()


def _tagged(number: int) -> EndpointSpec:
    tags = {f"ours-{each}": "x" for each in range(number)}
    return EndpointSpec.parse({**SPEC.model_dump(mode="json", exclude_none=True), "tags": tags})


def _arn(account: Account, kind: str) -> str:
    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    if kind == "endpoint":
        return str(endpoint["EndpointArn"])
    config = account.sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    if kind == "endpoint configuration":
        return str(config["EndpointConfigArn"])
    model = account.sagemaker.describe_model(ModelName=config["ProductionVariants"][0]["ModelName"])
    return str(model["ModelArn"])


def _fill(account: Account, arn: str, total: int) -> None:
    """Give a resource tags of somebody else's until it has so many."""
    present = len(account.sagemaker.list_tags(ResourceArn=arn)["Tags"])
    tags = [{"Key": f"theirs-{number}", "Value": "x"} for number in range(total - present)]
    account.sagemaker.add_tags(ResourceArn=arn, Tags=tags)


@pytest.mark.parametrize("kind", ["endpoint", "endpoint configuration", "model"])
def test_more_tags_than_aws_allows_stop_a_deployment_before_it_begins(account: Account, kind: str) -> None:
    account.deploy(SPEC)
    _fill(account, _arn(account, kind), 46)
    account.calls.clear()

    (finding,) = account.plan(_tagged(5)).findings
    with pytest.raises(DeploymentError, match=f"The {kind} support-bot.* would need 5. tags, of which it has 46"):
        account.deploy(_tagged(5))

    assert (finding.id, finding.severity) == ("WR818", "error")
    assert not [call for call in account.calls if not call.startswith(("Describe", "List"))]


def test_a_full_endpoint_with_the_tags_of_the_spec_is_fine(account: Account) -> None:
    account.deploy(SPEC)
    _fill(account, _arn(account, "endpoint"), 50)
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})
    changed = SPEC.model_copy(update={"variants": (variant,)})

    assert (account.plan(SPEC).findings, account.plan(changed).findings) == ((), ())
    assert account.deploy(changed)[0].result == "updated"


def test_a_configuration_without_room_for_a_note_is_found_before_it_is_gone_back_to(account: Account) -> None:
    account.deploy(SPEC)
    _fill(account, _arn(account, "endpoint configuration"), 50)
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})
    account.deploy(SPEC.model_copy(update={"variants": (variant,)}))

    assert "WR818" in [finding.id for finding in account.plan(SPEC).findings]


@pytest.mark.parametrize("kind", ["endpoint", "endpoint configuration", "model"])
def test_the_local_account_allows_as_many_tags_as_aws(account: Account, kind: str) -> None:
    account.deploy(SPEC)
    arn = _arn(account, kind)
    _fill(account, arn, 50)

    with pytest.raises(ClientError, match="would have 51 tags; 50 are allowed"):
        account.sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "one-more", "Value": "x"}])
    account.sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "theirs-0", "Value": "changed"}])

    assert len(account.sagemaker.list_tags(ResourceArn=arn)["Tags"]) == 50


def test_the_local_account_makes_nothing_with_too_many_tags(account: Account) -> None:
    tags: list[dict[str, Any]] = [{"Key": str(number), "Value": "x"} for number in range(51)]

    with pytest.raises(ClientError, match="less than or equal to 50"):
        account.sagemaker.create_model(ModelName="llama", PrimaryContainer={"Image": "vllm:1"}, Tags=tags)
