"""Who may call an endpoint, made here or elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.aws_iam import Role, ServicePrincipal
from cdk.synthesis import resources_of, template_of
from render.specs import SPECS

from warmroute_cdk import IVllmEndpoint, VllmEndpoint

INVOKE = [
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithResponseStream",
]


@pytest.fixture
def stack() -> Stack:
    return Stack(App(), "Test", env=Environment(region="us-east-1"))


@pytest.fixture
def caller(stack: Stack) -> Role:
    return Role(stack, "Caller", assumed_by=ServicePrincipal("lambda.amazonaws.com"))


def statements(stack: Stack) -> list[dict[str, Any]]:
    (policy,) = resources_of(template_of(stack), "AWS::IAM::Policy")
    found: list[dict[str, Any]] = policy["Properties"]["PolicyDocument"]["Statement"]
    return found


def test_a_caller_may_invoke_this_endpoint_alone(stack, caller):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"])
    endpoint.grant_invoke(caller)
    (statement,) = statements(stack)
    assert statement["Action"] == INVOKE
    assert list(statement["Resource"]) == ["Ref"]


def test_the_openai_route_takes_bearer_tokens_too(stack, caller):
    grant = VllmEndpoint(stack, "Bot", spec=SPECS["demo"]).grant_invoke(caller, openai=True)
    grant.assert_success()
    invoke, token = statements(stack)
    assert invoke["Action"] == INVOKE
    assert (token["Action"], token["Resource"]) == ("sagemaker:CallWithBearerToken", "*")


def test_components_are_invoked_by_their_own_arns(stack, caller):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["components"].model_copy(update={"region": "us-east-1"}))
    endpoint.grant_invoke(caller)
    (statement,) = statements(stack)
    names = {str(arn["Fn::Join"][1][-1]).rpartition("/")[2] for arn in statement["Resource"] if "Fn::Join" in arn}
    assert names == {"llama", "legal-adapter", "Draft", "foreign"}


def test_other_grants_name_their_actions(stack, caller):
    endpoint = VllmEndpoint(stack, "Bot", spec=SPECS["demo"])
    endpoint.grant_describe(caller)
    endpoint.grant_update_weights_and_capacities(caller)
    actions = {action for statement in statements(stack) for action in statement["Action"]}
    assert actions == {
        "sagemaker:DescribeEndpoint",
        "sagemaker:DescribeInferenceComponent",
        "sagemaker:UpdateEndpointWeightsAndCapacities",
    }


def test_an_endpoint_of_the_account_is_known_by_name(stack, caller):
    endpoint = VllmEndpoint.from_endpoint_name(stack, "Bot", "support-bot")
    assert isinstance(endpoint, IVllmEndpoint)
    assert endpoint.endpoint_name == "support-bot"
    endpoint.grant_invoke(caller)
    (statement,) = statements(stack)
    assert statement["Resource"]["Fn::Join"][1][-1] == ":endpoint/support-bot"


def test_an_endpoint_of_any_account_is_known_by_arn(stack, caller):
    arn = "arn:aws:sagemaker:eu-west-1:210987654321:endpoint/other-bot"
    endpoint = VllmEndpoint.from_endpoint_arn(stack, "Bot", arn)
    assert endpoint.endpoint_name == "other-bot"
    endpoint.grant_invoke(caller)
    assert statements(stack)[0]["Resource"] == arn


def test_an_endpoint_made_here_is_one_too(stack):
    assert isinstance(VllmEndpoint(stack, "Bot", spec=SPECS["demo"]), IVllmEndpoint)
