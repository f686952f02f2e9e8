"""What a plan says before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from warmroute.demo import example_spec
from warmroute.deploy import Action, FieldChange, InstanceCount, Kind, Plan, Rollout
from warmroute.errors import DeploymentError, IncompleteSpecError, Severity
from warmroute.hosting import EndpointSpec
from warmroute.local.control import fail_next_deployment
from warmroute.local.control.hooks import registry_at
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

SPEC = example_spec()


def _with(**fields: Any) -> EndpointSpec:
    return EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), **fields})


def _variant(**fields: Any) -> EndpointSpec:
    return SPEC.model_copy(update={"variants": (SPEC.variants[0].model_copy(update=fields),)})


def _changed(plan: Plan) -> dict[Kind, Action]:
    return {change.kind: change.action for change in plan.changes if change.action is not Action.NOTHING}


def _fields(plan: Plan) -> list[FieldChange]:
    return [field for change in plan.changes for field in change.fields]


def test_a_new_endpoint_is_created_and_nothing_is_touched(account: Account) -> None:
    plan = account.plan(SPEC)

    assert _changed(plan) == dict.fromkeys((Kind.MODEL, Kind.ENDPOINT_CONFIG, Kind.ENDPOINT), Action.CREATE)
    assert (plan.rollout, plan.instances) == (Rollout.CREATE, (InstanceCount("ml.p5.48xlarge", 0, 7, 7, 7),))
    assert account.changes() == []


def test_what_runs_as_asked_for_is_nothing_to_do(account: Account) -> None:
    account.deploy(SPEC)

    plan = account.plan(SPEC)

    assert (plan.is_empty, plan.rollout, plan.traffic, plan.findings) == (True, Rollout.NONE, (), ())


def test_new_routing_is_a_second_fleet_with_cold_caches(account: Account) -> None:
    account.deploy(SPEC)
    prefix = RoutingConfig.prefix_aware(prefix_length=8_192, concurrency_threshold=16)

    plan = account.plan(_variant(routing_config=prefix))

    assert _changed(plan) == {Kind.ENDPOINT_CONFIG: Action.REPLACE, Kind.ENDPOINT: Action.UPDATE}
    path = "variants.main.routing_config.prefix_aware_routing_config.prefix_length"
    assert FieldChange(path, 4_096, 8_192) in _fields(plan)
    assert (plan.rollout, plan.instances) == (Rollout.BLUE_GREEN, (InstanceCount("ml.p5.48xlarge", 7, 14, 7, 7),))
    assert "14 instances at the peak" in plan.traffic[0]
    assert "cold caches" in plan.traffic[1]


@pytest.mark.parametrize(
    ("routing", "moves"),
    [
        ({"type": "ALL_AT_ONCE"}, "all at once, and is watched for 600 seconds"),
        (
            {"type": "CANARY", "canary_size": {"type": "INSTANCE_COUNT", "value": 1}},
            "1 instances first, and the rest after 600 seconds",
        ),
        (
            {"type": "LINEAR", "linear_step_size": {"type": "CAPACITY_PERCENT", "value": 20}},
            "in steps of 20 %, 600 seconds apart",
        ),
    ],
)
def test_how_traffic_moves_to_the_second_fleet_is_told(account: Account, routing: dict[str, Any], moves: str) -> None:
    account.deploy(SPEC)
    policy = {"traffic_routing_configuration": {**routing, "wait_interval_in_seconds": 600}}
    changed = _variant(routing_config=RoutingConfig.prefix_aware(prefix_length=8_192, concurrency_threshold=16))
    values = changed.model_dump(exclude_none=True)
    values["deployment_config"] = {"blue_green_update_policy": policy}

    assert f"traffic moves {moves}." in account.plan(EndpointSpec.parse(values)).traffic[0]


def test_a_rolling_update_needs_one_batch_more(account: Account) -> None:
    batch = {"type": "INSTANCE_COUNT", "value": 2}
    rolling = {"rolling_update_policy": {"maximum_batch_size": batch, "wait_interval_in_seconds": 60}}
    account.deploy(SPEC)
    spec = _variant(routing_config=RoutingConfig.random())

    plan = account.plan(EndpointSpec.parse({**spec.model_dump(exclude_none=True), "deployment_config": rolling}))

    assert (plan.rollout, plan.instances[0].peak) == (Rollout.ROLLING, 9)


def test_another_count_is_changed_in_place_and_keeps_the_caches(account: Account) -> None:
    first, _ = account.deploy(SPEC)
    account.changes()
    more = _variant(initial_instance_count=9)

    plan = account.plan(more)
    outcome, _ = account.deploy(more)

    assert plan.rollout is Rollout.IN_PLACE
    assert _fields(plan) == [FieldChange("variants.main.instance_count", 7, 9)]
    assert account.changes() == ["UpdateEndpointWeightsAndCapacities"]
    assert (outcome.result, outcome.endpoint_config) == ("updated", first.endpoint_config)
    assert account.plan(more).is_empty


def test_a_count_changed_by_hand_is_seen_and_put_right(account: Account) -> None:
    account.deploy(SPEC)
    change = [{"VariantName": "main", "DesiredInstanceCount": 3, "DesiredWeight": 0.5}]
    account.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="support-bot", DesiredWeightsAndCapacities=change
    )
    account.clock.advance(60)

    assert _fields(account.plan(SPEC)) == [
        FieldChange("variants.main.instance_count", 3, 7),
        FieldChange("variants.main.weight", 0.5, 1.0),
    ]
    account.deploy(SPEC)
    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    assert endpoint["ProductionVariants"][0]["CurrentInstanceCount"] == 7


@pytest.mark.parametrize("owner", ["scaling", "operator"])
def test_a_count_that_somebody_else_owns_is_left_alone(account: Account, owner: str) -> None:
    fields: dict[str, Any] = {"retain_all_variant_properties": True}
    if owner == "scaling":
        fields = {"auto_scaling": [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9}]}
    spec = _with(**fields)
    account.deploy(spec)
    account.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="support-bot", DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 9}]
    )
    account.clock.advance(60)

    assert account.plan(spec).is_empty
    changed = spec.variants[0].model_copy(
        update={"initial_instance_count": 2, "routing_config": RoutingConfig.random()}
    )
    account.deploy(spec.model_copy(update={"variants": (changed,)}))
    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    assert endpoint["ProductionVariants"][0]["CurrentInstanceCount"] == 9


def test_another_model_shows_its_arguments_and_hides_its_variables(account: Account) -> None:
    account.deploy(_with(model={**SPEC.model.model_dump(exclude_none=True), "environment": {"HF_TOKEN": "hf_old"}}))
    model = SPEC.model.model_dump(exclude_none=True)
    model |= {"vllm": {**model["vllm"], "max_num_seqs": 128}, "environment": {"HF_TOKEN": "hf_new"}}

    plan = account.plan(_with(model=model))

    assert _changed(plan)[Kind.MODEL] is Action.REPLACE
    assert FieldChange("primary_container.environment.SM_VLLM_MAX_NUM_SEQS", "64", "128") in _fields(plan)
    assert FieldChange("primary_container.environment.HF_TOKEN", "(hidden)", "(hidden)") in _fields(plan)
    assert "hf_" not in str(plan.as_dict())


def test_an_older_spec_is_told_from_a_new_one(account: Account) -> None:
    account.deploy(SPEC)
    newer = _variant(routing_config=RoutingConfig.random())
    account.deploy(newer)

    (finding,) = account.plan(SPEC).findings

    assert (finding.id, finding.severity) == ("WR817", Severity.WARNING)
    assert "older than what runs" in finding.message
    assert account.plan(_variant(routing_config=RoutingConfig.least_outstanding_requests())).findings == ()


def test_a_pending_update_to_something_else_stops_an_apply(account: Account) -> None:
    account.deploy(SPEC)
    account.deploy(_variant(routing_config=RoutingConfig.random()), wait=False)

    plan = account.plan(SPEC)

    assert [finding.id for finding in plan.errors] == ["WR812"]
    with pytest.raises(DeploymentError, match="is in state Updating"):
        plan.refuse_errors()


def test_a_plan_that_was_looked_at_is_what_is_applied(account: Account) -> None:
    account.deploy(SPEC)
    wanted = _variant(routing_config=RoutingConfig.random())
    plan = account.plan(wanted)
    account.deploy(_variant(routing_config=RoutingConfig.least_outstanding_requests()))
    account.changes()

    with pytest.raises(DeploymentError, match="has changed since the plan was made"):
        account.deploy(wanted, expected=plan)
    assert account.changes() == []
    assert account.deploy(wanted, expected=account.plan(wanted))[0].result == "updated"


def test_a_plan_after_a_rollback_by_sagemaker_still_wants_the_change(account: Account) -> None:
    account.deploy(SPEC)
    wanted = _variant(routing_config=RoutingConfig.random())
    fail_next_deployment("support-bot", "Alarm went off")
    with pytest.raises(DeploymentError, match="rolled back"):
        account.deploy(wanted)

    assert _changed(account.plan(wanted)) == {Kind.ENDPOINT_CONFIG: Action.REPLACE, Kind.ENDPOINT: Action.UPDATE}


def test_a_fleet_whose_rollback_failed_is_deployed_again(account: Account) -> None:
    account.deploy(SPEC)
    registry_at("123456789012", "us-east-1").endpoints["support-bot"].status = "UpdateRollbackFailed"
    account.changes()

    plan = account.plan(SPEC)
    outcome, _ = account.deploy(SPEC)

    assert (plan.rollout, plan.is_empty) == (Rollout.BLUE_GREEN, False)
    assert (outcome.result, account.changes()) == ("updated", ["UpdateEndpoint"])
    assert account.plan(SPEC).is_empty


class TestAnEndpointOfSomebodyElse:
    @pytest.fixture
    def theirs(self, account: Account) -> Account:
        account.deploy(SPEC)
        arn = account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointArn"]
        account.sagemaker.delete_tags(ResourceArn=arn, TagKeys=["warmroute:endpoint"])
        account.sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "aws:cloudformation:stack-name", "Value": "Chat"}])
        account.changes()
        return account

    def test_is_refused_before_anything_is_changed(self, theirs: Account) -> None:
        with pytest.raises(DeploymentError, match=r"was not made by warmroute; CloudFormation made it \(stack Chat\)"):
            theirs.deploy(_variant(routing_config=RoutingConfig.random()))
        assert theirs.changes() == []

    def test_is_nothing_to_do_where_it_is_as_asked_for(self, theirs: Account) -> None:
        plan = theirs.plan(SPEC)

        assert (plan.is_empty, plan.errors) == (True, ())
        assert "--adopt" in plan.findings[0].remedy

    def test_can_be_taken_over(self, theirs: Account) -> None:
        assert _fields(theirs.plan(SPEC, adopt=True)) == [FieldChange("tags.warmroute:endpoint", None, "support-bot")]

        theirs.deploy(SPEC, adopt=True)

        assert theirs.deploy(_variant(routing_config=RoutingConfig.random()))[0].result == "updated"


def _in_another_order(value: Any) -> Any:
    """The same spec with every list turned round whose order says nothing."""
    if not isinstance(value, dict):
        return value
    turned = {"variants", "subnets", "security_group_ids"}
    return {key: each[::-1] if key in turned else _in_another_order(each) for key, each in value.items()}


def test_the_order_of_variants_and_subnets_is_no_change(account: Account) -> None:
    values = SPEC.model_dump(mode="json", exclude_none=True)
    values["variants"] = [{**values["variants"][0], "name": name} for name in ("blue", "green")]
    subnets = ["subnet-0a1b2c3d", "subnet-1a1b2c3d"]
    values["vpc_config"] = {"security_group_ids": ["sg-0a1b2c3d", "sg-1a1b2c3d"], "subnets": subnets}
    account.deploy(EndpointSpec.parse(values))
    turned = EndpointSpec.parse(_in_another_order(values))
    assert [variant.name for variant in turned.variants] == ["green", "blue"]

    assert account.plan(turned).is_empty
    account.changes()
    account.deploy(turned)
    assert account.changes() == []


def test_tags_are_shown_as_they_are_spelt(account: Account) -> None:
    account.deploy(SPEC)
    plan = account.plan(SPEC.model_copy(update={"tags": {"CostCentre": "42"}}))

    assert {field.path for change in plan.changes for field in change.fields} == {"tags.CostCentre"}


@pytest.mark.parametrize("key", ["warmroute:endpoint", "warmroute:retiring"])
def test_tags_of_warmroutes_own_are_refused(account: Account, key: str) -> None:
    with pytest.raises(IncompleteSpecError, match=f"tags.{key}"):
        account.plan(SPEC.model_copy(update={"tags": {key: "other"}}))


def test_the_plan_that_is_carried_out_is_told_before_anything_is_changed(account: Account) -> None:
    told: list[Plan] = []

    def look(plan: Plan) -> None:
        assert account.changes() == []
        told.append(plan)
        if len(told) == 1:
            raise DeploymentError("Not today.")

    expected = account.plan(SPEC)
    with pytest.raises(DeploymentError, match="Not today"):
        account.deploy(SPEC, on_plan=look)
    assert account.changes() == []
    account.deploy(SPEC, on_plan=look)

    assert told == [expected, expected]
    assert account.plan(SPEC).is_empty
