"""What is kept, what is gone back to, and what is deleted: never anything in use, never anything of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from warmroute.demo import example_spec
from warmroute.deploy import Action, DeployedEndpoint, Kind
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control import fail_next_deployment
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

SPEC = example_spec()


def _threshold(number: int, **fields: Any) -> EndpointSpec:
    routing = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=number)
    variant = SPEC.variants[0].model_copy(update={"routing_config": routing})
    return SPEC.model_copy(update={"variants": (variant,), **fields})


def _with_model(name: str) -> EndpointSpec:
    model = {**SPEC.model.model_dump(exclude_none=True), "source": {"hugging_face": f"acme/{name}"}}
    return EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), "model": model})


def _deployed(account: Account, name: str = "support-bot") -> DeployedEndpoint:
    return DeployedEndpoint(name, account.session, poll_seconds=1)


def _configs(account: Account) -> set[str]:
    return {each["EndpointConfigName"] for each in account.sagemaker.list_endpoint_configs()["EndpointConfigs"]}


def _models(account: Account) -> set[str]:
    return {each["ModelName"] for each in account.sagemaker.list_models()["Models"]}


class TestCleanUp:
    def test_the_last_three_configurations_are_kept(self, account: Account) -> None:
        names = [account.deploy(_threshold(number))[0].endpoint_config for number in range(1, 5)]

        plan = account.plan(_threshold(9))

        deleted = [change.name for change in plan.changes if change.action is Action.DELETE]
        assert _configs(account) == set(names[1:])
        assert deleted == names[1:2]

    def test_going_back_and_forth_keeps_what_was_used_last(self, account: Account) -> None:
        first, second = (account.deploy(_threshold(number))[0].endpoint_config for number in (1, 2))
        account.deploy(_threshold(1))

        third = account.deploy(_threshold(3), keep=2)[0].endpoint_config

        assert _configs(account) == {first, third}
        assert second not in _configs(account)

    def test_models_go_with_the_last_configuration_that_needs_them(self, account: Account) -> None:
        account.deploy(_with_model("one"))
        account.deploy(_with_model("two"))
        assert len(_models(account)) == 2

        account.deploy(_with_model("two"), keep=1)

        assert len(_models(account)) == len(_configs(account)) == 1
        assert account.plan(_with_model("two"), keep=1).is_empty

    def test_a_configuration_that_another_endpoint_uses_stays(self, account: Account) -> None:
        first = account.deploy(_threshold(1))[0].endpoint_config
        account.sagemaker.create_endpoint(EndpointName="by-hand", EndpointConfigName=first)
        account.clock.advance(60)

        account.deploy(_threshold(2), keep=1)

        assert first in _configs(account)
        assert account.plan(_threshold(2), keep=1).is_empty

    def test_a_configuration_that_another_endpoint_is_on_its_way_to_stays(self, account: Account) -> None:
        first = account.deploy(_threshold(1))[0].endpoint_config
        second = account.deploy(_threshold(2))[0].endpoint_config
        account.sagemaker.create_endpoint(EndpointName="by-hand", EndpointConfigName=second)
        account.clock.advance(60)
        account.sagemaker.update_endpoint(EndpointName="by-hand", EndpointConfigName=first)

        assert not [change for change in account.plan(_threshold(2), keep=1).changes if change.action is Action.DELETE]

    def test_what_looks_like_ours_but_lacks_the_tag_stays(self, account: Account) -> None:
        variant = {"VariantName": "main", "InstanceType": "ml.m5.xlarge", "InitialInstanceCount": 1}
        account.sagemaker.create_endpoint_config(
            EndpointConfigName="support-bot-0123456789", ProductionVariants=[variant]
        )
        tags = [{"Key": "warmroute:endpoint", "Value": "support-bot"}]
        account.sagemaker.create_endpoint_config(
            EndpointConfigName="support-bot-by-hand", ProductionVariants=[variant], Tags=tags
        )

        account.deploy(SPEC, keep=1)

        assert {"support-bot-0123456789", "support-bot-by-hand"} <= _configs(account)

    def test_an_endpoint_whose_name_begins_alike_keeps_its_own(self, account: Account) -> None:
        account.deploy(_threshold(1, name="support-bot-2"))
        account.deploy(_threshold(2, name="support-bot-2"))

        account.deploy(_threshold(1), keep=1)

        assert len(_configs(account)) == 3

    @pytest.mark.parametrize("keep", [0, -1, 101])
    def test_the_one_that_serves_is_always_kept(self, account: Account, keep: int) -> None:
        with pytest.raises(DeploymentError, match="always kept"):
            account.deploy(SPEC, keep=keep)

    def test_one_that_was_deleted_while_it_serves_is_made_again(self, account: Account) -> None:
        config = account.deploy(SPEC)[0].endpoint_config
        account.clock.advance(1)
        _forget(account, config)

        plan = account.plan(SPEC)
        account.deploy(SPEC)

        assert {change.kind: change.action for change in plan.changes}[Kind.ENDPOINT_CONFIG] is Action.CREATE
        assert config in _configs(account)


def _forget(account: Account, config: str) -> None:
    """Delete a configuration in use, as SageMaker allows and the local control plane does not."""
    from warmroute.local.control.hooks import registry_at

    registry = registry_at("123456789012", "us-east-1")
    del registry.endpoint_configs[config]


class TestRollback:
    def test_goes_back_to_what_served_before_and_forth_again(self, account: Account) -> None:
        first, second = (account.deploy(_threshold(number))[0].endpoint_config for number in (1, 2))

        back = _deployed(account).rollback()
        forth = _deployed(account).rollback()

        assert (back.endpoint_config, back.result) == (first, "updated")
        assert forth.endpoint_config == second
        endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
        assert (endpoint["EndpointConfigName"], endpoint["EndpointStatus"]) == (second, "InService")

    def test_skips_what_never_served(self, account: Account) -> None:
        first = account.deploy(_threshold(1))[0].endpoint_config
        account.deploy(_threshold(2))
        fail_next_deployment("support-bot", "Alarm went off")
        with pytest.raises(DeploymentError, match="rolled back"):
            account.deploy(_threshold(3))

        assert _deployed(account).rollback().endpoint_config == first

    def test_goes_to_the_one_that_is_named(self, account: Account) -> None:
        names = [account.deploy(_threshold(number))[0].endpoint_config for number in range(1, 4)]

        assert _deployed(account).rollback(to=names[0]).endpoint_config == names[0]

    def test_takes_no_capacity_away(self, account: Account) -> None:
        account.deploy(_threshold(1))
        account.deploy(_threshold(2))
        account.sagemaker.update_endpoint_weights_and_capacities(
            EndpointName="support-bot",
            DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 12}],
        )
        account.clock.advance(60)

        _deployed(account).rollback()

        endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
        assert endpoint["ProductionVariants"][0]["CurrentInstanceCount"] == 12

    def test_that_was_stopped_is_followed_and_not_begun_the_other_way(self, account: Account) -> None:
        first = account.deploy(_threshold(1))[0].endpoint_config
        account.deploy(_threshold(2))

        _deployed(account).rollback(wait=False)
        again = _deployed(account).rollback()

        assert (again.endpoint_config, again.result) == (first, "unchanged")

    @pytest.mark.parametrize(
        ("to", "says"),
        [(None, "no earlier configuration that served"), ("support-bot-x", "There is no configuration support-bot-x")],
    )
    def test_without_a_way_back_is_said(self, account: Account, to: str | None, says: str) -> None:
        account.deploy(SPEC)
        account.changes()

        with pytest.raises(DeploymentError, match=says):
            _deployed(account).rollback(to=to)
        assert account.changes() == []

    def test_that_sagemaker_rolls_back_itself_is_a_failure(self, account: Account) -> None:
        account.deploy(_threshold(1))
        account.deploy(_threshold(2))
        fail_next_deployment("support-bot", "No capacity")

        with pytest.raises(DeploymentError, match="was rolled back: No capacity"):
            _deployed(account).rollback()

    def test_is_not_for_the_endpoints_of_others(self, account: Account) -> None:
        account.deploy(_threshold(1))
        account.deploy(_threshold(2))
        _disown(account)

        with pytest.raises(DeploymentError, match="was not made by warmroute"):
            _deployed(account).rollback()


class TestDestroy:
    def test_leaves_nothing_of_ours(self, account: Account) -> None:
        scaling = [
            {"variant_name": "main", "min_capacity": 2, "max_capacity": 9, "target_tracking": {"target_value": 9}}
        ]
        values = SPEC.model_dump(exclude_none=True)
        account.deploy(EndpointSpec.parse({**values, "auto_scaling": scaling}))
        account.deploy(_with_model("other"))

        removed = _deployed(account).destroy()

        assert "support-bot" in removed
        assert (_configs(account), _models(account)) == (set(), set())
        assert account.sagemaker.list_endpoints()["Endpoints"] == []
        scaling_client = account.session.client("application-autoscaling")
        assert scaling_client.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
        assert _deployed(account).destroy() == ()

    def test_goes_on_where_a_run_was_stopped(self, account: Account) -> None:
        account.deploy(SPEC)
        account.sagemaker.delete_endpoint(EndpointName="support-bot")

        _deployed(account).destroy()

        assert (_configs(account), _models(account)) == (set(), set())

    def test_waits_for_what_is_under_way(self, account: Account) -> None:
        account.deploy(SPEC, wait=False)

        assert "support-bot" in _deployed(account).destroy()

    def test_of_an_endpoint_of_others_is_refused(self, account: Account) -> None:
        account.deploy(SPEC)
        _disown(account)
        account.changes()

        with pytest.raises(DeploymentError, match="was not made by warmroute"):
            _deployed(account).destroy()
        assert account.changes() == []

    def test_finds_components_though_somebody_deleted_the_configuration(self, account: Account) -> None:
        needs = {"compute_resource_requirements": {"min_memory_required_in_mb": 1024}}
        hosted = {"inference_components": [{"name": "llama", "specification": needs}]}
        config = account.deploy(EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), **hosted}))[0].endpoint_config
        _forget(account, config)

        assert [each.name for each in _deployed(account).status().components] == ["llama"]
        assert "llama" in _deployed(account).destroy()
        assert account.sagemaker.list_endpoints()["Endpoints"] == []

    def test_leaves_models_and_configurations_of_others(self, account: Account) -> None:
        account.deploy(SPEC)
        account.sagemaker.create_model(ModelName="support-bot-mine", PrimaryContainer={"Image": "a"})

        _deployed(account).destroy()

        assert _models(account) == {"support-bot-mine"}


def test_a_failed_endpoint_can_be_destroyed(account: Account) -> None:
    fail_next_deployment("support-bot", "No capacity")
    with pytest.raises(DeploymentError, match="Failed"):
        account.deploy(SPEC)

    assert "support-bot" in _deployed(account).destroy()


def test_status_tells_what_runs_and_what_is_kept(account: Account) -> None:
    first, second = (account.deploy(_threshold(number))[0].endpoint_config for number in (1, 2))

    status = _deployed(account).status()

    assert (status.status, status.endpoint_config, status.pending_config) == ("InService", second, "")
    assert (status.variants[0].current_instances, status.variants[0].routing_strategy) == (7, "PREFIX_AWARE")
    assert [each.name for each in status.configurations] == [second, first]
    assert status.log_url.endswith("$252Faws$252Fsagemaker$252FEndpoints$252Fsupport-bot")


def _disown(account: Account) -> None:
    arn = account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointArn"]
    account.sagemaker.delete_tags(ResourceArn=arn, TagKeys=["warmroute:endpoint"])
