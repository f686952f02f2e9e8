"""What AWS and botocore say reads as sentences, and names what there is to give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from botocore import exceptions

from warmroute.deploy.account.aws import Aws
from warmroute.deploy.account.faults import as_deployment_errors
from warmroute.errors import DeploymentError

if TYPE_CHECKING:
    from conftest import Account

FAULTS = [
    exceptions.InvalidRetryConfigurationError(retry_config_option="x", valid_options=["y"]),
    exceptions.InvalidMaxRetryAttemptsError(provided_max_attempts=0, min_value=1),
    exceptions.ProfileNotFound(profile="nobody"),
    exceptions.SSOTokenLoadError(error_msg="It has expired."),
    exceptions.CredentialRetrievalError(provider="process", error_msg="It ended."),
    exceptions.EndpointConnectionError(endpoint_url="https://aws.example/", error="It is gone."),
    exceptions.ParamValidationError(report="Something is wrong."),
    ValueError("Invalid endpoint."),
    exceptions.ClientError({"Error": {"Code": "ValidationException", "Message": "No."}}, "DescribeEndpoint"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_sentence_ends_once(fault: Exception) -> None:
    with pytest.raises(DeploymentError) as found, as_deployment_errors("sagemaker", "describe_endpoint"):
        raise fault

    assert found.value.message.endswith(".")
    assert not re.search(r"\.\s*\.", str(found.value))


def test_no_attempts_at_all_is_one_sentence(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "0")

    with pytest.raises(DeploymentError) as found:
        Aws(account.session, "us-east-1").describe("describe_endpoint", EndpointName="chat")

    assert ".." not in str(found.value)


@pytest.mark.parametrize(
    ("service", "operation", "permission"),
    [
        ("sagemaker", "create_model", "sagemaker:CreateModel"),
        ("application-autoscaling", "put_scaling_policy", "application-autoscaling:PutScalingPolicy"),
        ("cloudwatch", "describe_alarms", "cloudwatch:DescribeAlarms"),
        ("service-quotas", "list_service_quotas", "servicequotas:ListServiceQuotas"),
        ("ecr", "describe_images", "ecr:DescribeImages"),
        ("iam", "get_role", "iam:GetRole"),
        ("s3", "head_object", "s3:GetObject"),
        ("s3", "head_bucket", "s3:ListBucket"),
        ("s3", "list_objects_v2", "s3:ListBucket"),
    ],
)
def test_a_missing_permission_is_named_as_iam_names_it(service: str, operation: str, permission: str) -> None:
    answer: Any = {"Error": {"Code": "AccessDenied", "Message": "Access Denied"}}

    with pytest.raises(DeploymentError) as found, as_deployment_errors(service, operation):
        raise exceptions.ClientError(answer, operation)

    assert found.value.remedy == f"Give the deploying role the permission {permission}."
