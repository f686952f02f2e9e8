"""Scalable targets of others, scheduled actions and suspended scaling: left as they are, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from warmroute.demo import example_spec
from warmroute.deploy import Action, DeployedEndpoint, Kind
from warmroute.hosting import EndpointSpec

if TYPE_CHECKING:
    from conftest import Account

    from warmroute.deploy import Plan

SPEC = example_spec()
RESOURCE = "endpoint/support-bot/variant/main"
PLACE = {
    "ServiceNamespace": "sagemaker",
    "ResourceId": RESOURCE,
    "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
}


def _scaled(**fields: Any) -> EndpointSpec:
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9, **fields}]
    return EndpointSpec.parse({**SPEC.model_dump(mode="json", exclude_none=True), "auto_scaling": scaling})


TRACKED = _scaled(target_tracking={"target_value": 5})


def _schedule(account: Account) -> None:
    account.session.client("application-autoscaling").put_scheduled_action(
        ScheduledActionName="at-night",
        Schedule="cron(0 22 * * ? *)",
        ScalableTargetAction={"MinCapacity": 0, "MaxCapacity": 0},
        **PLACE,
    )


def _deny(account: Account, operation: str) -> None:
    answer = {"Error": {"Code": "AccessDeniedException", "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": 400}}

    def refuse(**_: Any) -> None:
        raise ClientError(answer, operation)

    account.session.events.register(f"before-call.application-autoscaling.{operation}", refuse)


def _targets(account: Account) -> list[str]:
    scaling = account.session.client("application-autoscaling")
    listed = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    return [each["ResourceId"] for each in listed]


def _note(plan: Plan) -> str:
    (change,) = [each for each in plan.changes if each.kind is Kind.SCALABLE_TARGET]
    assert change.action is Action.NOTHING
    return change.note


@pytest.mark.parametrize("readable", [True, False])
def test_a_target_of_others_without_a_policy_stays(account: Account, readable: bool) -> None:
    account.deploy(SPEC)
    account.session.client("application-autoscaling").register_scalable_target(MinCapacity=2, MaxCapacity=9, **PLACE)
    if not readable:
        _deny(account, "ListTagsForResource")

    note = _note(account.plan(SPEC))
    account.deploy(SPEC)

    assert _targets(account) == [RESOURCE]
    assert ("its tags cannot be read" in note, "warmroute did not make it" in note) == (not readable, readable)


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("spec", [TRACKED, _scaled()], ids=["tracked", "limits"])
def test_our_own_target_goes_where_something_says_that_it_is_ours(
    account: Account, spec: EndpointSpec, readable: bool
) -> None:
    account.deploy(spec)
    if not readable:
        _deny(account, "ListTagsForResource")

    account.deploy(SPEC)

    is_known = readable or spec is TRACKED
    assert _targets(account) == ([] if is_known else [RESOURCE])
    assert account.plan(SPEC).is_empty


@pytest.mark.parametrize("readable", [True, False])
def test_a_target_with_scheduled_actions_stays_and_the_plan_says_so(account: Account, readable: bool) -> None:
    account.deploy(_scaled())
    _schedule(account)
    if not readable:
        _deny(account, "DescribeScheduledActions")

    note = _note(account.plan(SPEC))
    account.deploy(SPEC)

    assert _targets(account) == [RESOURCE]
    assert note.startswith("not in the spec; left alone: it")
    assert ("at-night" in note, "cannot be read" in note) == (readable, not readable)


def test_a_stop_between_a_policy_and_its_target_cannot_be(account: Account) -> None:
    account.deploy(TRACKED)
    account.changes()

    account.deploy(SPEC)

    assert account.changes() == ["DeregisterScalableTarget"]


SUSPENDED = {
    "DynamicScalingInSuspended": "scaling in",
    "DynamicScalingOutSuspended": "scaling out",
    "ScheduledScalingSuspended": "scheduled scaling",
}


@pytest.mark.parametrize("field", SUSPENDED)
def test_suspended_scaling_is_told_and_left_so(account: Account, field: str) -> None:
    account.deploy(TRACKED)
    scaling = account.session.client("application-autoscaling")
    assert account.plan(TRACKED).findings == ()
    scaling.register_scalable_target(SuspendedState={field: True}, **PLACE)

    (finding,) = account.plan(TRACKED).findings
    account.deploy(_scaled(target_tracking={"target_value": 6}, max_capacity=12))

    assert (finding.id, finding.severity) == ("WR819", "warning")
    assert f"{RESOURCE}, {SUSPENDED[field]} is suspended" in finding.message
    deployed = DeployedEndpoint("support-bot", account.session, region="us-east-1")
    assert [each.suspended for each in deployed.status().scaling] == [(SUSPENDED[field],)]


def test_scaling_that_a_spec_cannot_say_is_told_by_an_import(account: Account) -> None:
    account.deploy(TRACKED)
    scaling = account.session.client("application-autoscaling")
    metric = {"MetricName": "Queue", "Namespace": "Ours", "Statistic": "Average"}
    kinds: dict[str, dict[str, Any]] = {
        "by-step": {"StepScalingPolicyConfiguration": {"AdjustmentType": "ChangeInCapacity"}},
        "custom": {
            "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 5.0, "CustomizedMetricSpecification": metric}
        },
    }
    for name, body in kinds.items():
        kind = "StepScaling" if name == "by-step" else "TargetTrackingScaling"
        scaling.put_scaling_policy(PolicyName=name, PolicyType=kind, **body, **PLACE)
    _schedule(account)
    scaling.register_scalable_target(SuspendedState={"DynamicScalingInSuspended": True}, **PLACE)

    found = DeployedEndpoint("support-bot", account.session, region="us-east-1").to_spec()

    assert found.left_out == (
        f"policies of {RESOURCE}: by-step, custom",
        f"scheduled actions of {RESOURCE}: at-night",
        f"scaling in of {RESOURCE} is suspended",
    )
    assert (found.differences, account.plan(found.spec).is_empty) == ((), True)
