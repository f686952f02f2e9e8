"""The probes that ask AWS, with a double in its place."""

from __future__ import annotations

from typing import Any

import pytest

from warmroute.deploy.account import aws as account
from warmroute.doctor import Machine, Status, online
from warmroute.errors import DeploymentError

NOW = 1_796_000_000.0
DATE = "Mon, 30 Nov 2026 00:53:20 GMT"
IDENTITY = {
    "Account": "123456789012",
    "Arn": "arn:aws:iam::123456789012:user/me",
    "ResponseMetadata": {"HTTPHeaders": {"date": DATE}},
}


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The calls that are refused."""
    refused: set[str] = set()

    def call(self: account.Aws, service: str, operation: str, **parameters: Any) -> dict[str, Any]:
        if operation in refused:
            raise DeploymentError(f"{operation}: AccessDenied.", f"Give the role {service}:{operation}.")
        return IDENTITY if operation == "get_caller_identity" else {}

    monkeypatch.setattr(account.Aws, "call", call)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return refused


def said() -> list[str]:
    return [str(each) for each in online.online(Machine(now=NOW))]


def test_all_is_well(refused: set[str]) -> None:
    assert said() == [
        "ok       account: 123456789012 in us-east-1, as arn:aws:iam::123456789012:user/me.",
        "ok       clock: within 0 s of AWS's.",
        "ok       permissions: sagemaker, application-autoscaling, cloudwatch, service-quotas can be looked at.",
    ]


def test_a_permission_is_missing(refused: set[str]) -> None:
    refused.add("describe_alarms")

    assert said()[2:] == [
        "warning  permission cloudwatch: describe_alarms: AccessDenied. Give the role cloudwatch:describe_alarms."
    ]


def test_the_credentials_do_not_do(refused: set[str]) -> None:
    refused.add("get_caller_identity")

    (found,) = online.online(Machine())
    assert found.status is Status.PROBLEM


def test_no_region(refused: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")

    (found,) = online.online(Machine())
    assert (found.status, found.message) == (Status.PROBLEM, "No AWS region is set.")
