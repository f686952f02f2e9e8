"""cdk-nag's packs find nothing that the constructs do not acknowledge with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Environment, Fn, Stack
from aws_cdk.aws_kms import Key
from aws_cdk.aws_s3 import Bucket, CfnBucket
from cdk.sleeping import SLEEPING
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks
from render.specs import SPECS, WITHOUT_ROLE

from warmroute.hosting import EndpointSpec
from warmroute_cdk import ExecutionRole, VllmEndpoint, execution_role, vllm_endpoint

PACKS = (AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks)
STACKS = {**SPECS, "without-role": WITHOUT_ROLE, "sleeping": SLEEPING}
VOLUME_RULE = "SageMakerEndpointConfigurationKMSKeyConfigured"


def findings(spec: EndpointSpec, **given: Any) -> set[str]:
    app = App()
    stack = Stack(app, "Test", env=Environment(region=spec.region))
    # With a role of our own, whatever the spec says: the role is what the packs look at most.
    VllmEndpoint(stack, "Bot", spec=spec, role=ExecutionRole(stack, "Role", spec=spec).role, **given)
    return found_in(app)


def found_in(app: Any) -> set[str]:
    return {violation.rule_name for pack in PACKS for violation in pack(app).validate_scope(app).violations}


WITH_VOLUMES = ("autoscaled", "serverless")


@pytest.mark.parametrize("name", [name for name in STACKS if name not in WITH_VOLUMES])
def test_nothing_is_found(name):
    assert findings(STACKS[name]) == set()


@pytest.mark.parametrize("name", WITH_VOLUMES)
def test_a_key_that_is_missing_is_found(name):
    assert {rule.partition("-")[2] for rule in findings(SPECS[name])} == {VOLUME_RULE}


def test_a_key_given_as_a_construct_is_no_finding():
    spec = SPECS["serverless"]
    stack = Stack(App(), "Test", env=Environment(region=spec.region))
    VllmEndpoint(stack, "Bot", spec=spec, encryption_key=Key(stack, "Key", enable_key_rotation=True))
    assert found_in(stack.node.root) == set()


def _imported(stack: Stack) -> str:
    return Bucket.from_bucket_name(stack, "Bucket", Fn.import_value("bucket")).bucket_name


def _made_here(stack: Stack) -> str:
    return Bucket.from_cfn_bucket(CfnBucket(stack, "Bucket")).bucket_name


def _of_a_list(stack: Stack) -> str:
    return Fn.select(0, CfnParameter(stack, "Buckets", type="CommaDelimitedList").value_as_list)


@pytest.mark.parametrize("bucket", [_imported, _made_here, _of_a_list])
def test_artefacts_in_a_bucket_that_is_a_token_are_acknowledged_too(bucket):
    stack = Stack(App(), "Test", env=Environment(region="us-east-1"))
    model = {"source": {"s3_prefix": f"s3://{bucket(stack)}/llama/"}}
    spec = EndpointSpec.parse({**WITHOUT_ROLE.model_dump(exclude_none=True), "model": model})
    VllmEndpoint(stack, "Bot", spec=spec)
    found = [
        each.rule_name for pack in PACKS for each in pack(stack.node.root).validate_scope(stack.node.root).violations
    ]
    assert [rule for rule in found if "IAM" in rule or VOLUME_RULE in rule] == []


def test_the_packs_would_find_what_is_acknowledged(monkeypatch):
    for module in (execution_role, vllm_endpoint):
        monkeypatch.setattr(module, "acknowledge", lambda *_: None)
    found = findings(SPECS["everything"]) | findings(SPECS["demo"])
    assert any(rule.startswith("AwsSolutions-IAM5[Resource::arn:") for rule in found)
    assert f"HIPAA.Security-{VOLUME_RULE}" in found
    assert f"NIST.800.53.R5-{VOLUME_RULE}" in found
