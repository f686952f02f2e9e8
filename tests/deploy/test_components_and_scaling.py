"""Components and scaling: made in order, changed in place, removed last first, and nobody else's touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from warmroute.deploy import Action, Kind
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control.hooks import registry_at

if TYPE_CHECKING:
    from conftest import Account

    from warmroute.deploy import Plan

BASE: dict[str, Any] = {
    "name": "shared",
    "region": "us-east-1",
    "execution_role_arn": "arn:aws:iam::123456789012:role/sagemaker",
    "model": {"source": {"s3_prefix": "s3://models/llama/"}},
    "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
}


def _component(name: str, **fields: Any) -> dict[str, Any]:
    needs = {"min_memory_required_in_mb": 1024}
    return {"name": name, "specification": {"compute_resource_requirements": needs}, **fields}


def _adapter(name: str, base: str) -> dict[str, Any]:
    container = {"artifact_url": f"s3://models/{name}.tar.gz"}
    return {"name": name, "specification": {"base_inference_component_name": base, "container": container}}


def _spec(*components: dict[str, Any], **fields: Any) -> EndpointSpec:
    hosted = {"inference_components": list(components)} if components else {}
    return EndpointSpec.parse({**BASE, **hosted, **fields})


def _scaled(name: str, **fields: Any) -> dict[str, Any]:
    return {"inference_component_name": name, "min_capacity": 1, "max_capacity": 4, **fields}


def _of(plan: Plan, *kinds: Kind) -> list[tuple[Action, str]]:
    return [(change.action, change.name) for change in plan.changes if change.kind in kinds]


def test_components_that_left_the_spec_go_last_first(account: Account) -> None:
    account.deploy(
        _spec(_component("llama"), _component("draft"), _adapter("legal", "draft"), _adapter("poet", "draft"))
    )
    spec = _spec(_component("llama"))
    account.changes()

    assert _of(account.plan(spec), Kind.COMPONENT) == [
        (Action.NOTHING, "llama"),
        (Action.DELETE, "poet"),
        (Action.DELETE, "legal"),
        (Action.DELETE, "draft"),
    ]
    outcome, _ = account.deploy(spec)

    assert outcome.removed == ("poet", "legal", "draft")
    assert account.changes() == ["DeleteInferenceComponent"] * 3


def test_an_adapter_whose_base_changes_is_made_again(account: Account) -> None:
    account.deploy(_spec(_component("llama"), _component("other"), _adapter("legal", "llama")))
    spec = _spec(_component("llama"), _component("other"), _adapter("legal", "other"))

    plan = account.plan(spec)
    account.deploy(spec)

    assert (Action.REPLACE, "legal") in _of(plan, Kind.COMPONENT)
    assert "legal is deleted and made again; its requests fail in between." in plan.traffic
    described = account.sagemaker.describe_inference_component(InferenceComponentName="legal")
    assert described["Specification"]["BaseInferenceComponentName"] == "other"
    assert account.plan(spec).is_empty


def test_a_component_that_moves_to_another_variant_takes_its_adapters_along(account: Account) -> None:
    variants = [{**BASE["variants"][0], "name": name} for name in ("main", "other")]
    here = _spec(_component("llama", variant_name="main"), _adapter("legal", "llama"), variants=variants)
    account.deploy(here)
    there = _spec(_component("llama", variant_name="other"), _adapter("legal", "llama"), variants=variants)

    account.deploy(there)

    for name in ("llama", "legal"):
        described = account.sagemaker.describe_inference_component(InferenceComponentName=name)
        assert (described["VariantName"], described["InferenceComponentStatus"]) == ("other", "InService")
    assert account.plan(there).is_empty


@pytest.mark.parametrize("change", ["its variant changes", "it failed"])
def test_adapters_that_leave_go_before_their_base_is_made_again(account: Account, change: str) -> None:
    variants = [{**BASE["variants"][0], "name": name} for name in ("main", "other")]
    here = _component("llama", variant_name="main")
    account.deploy(_spec(here, _adapter("legal", "llama"), variants=variants))
    spec = _spec(_component("llama", variant_name="other"), variants=variants)
    if change == "it failed":
        registry = registry_at("123456789012", "us-east-1")
        registry.components["llama"].status = "Failed"
        spec = _spec(here, variants=variants)

    plan = account.plan(spec)
    outcome, _ = account.deploy(spec)

    assert _of(plan, Kind.COMPONENT) == [(Action.REPLACE, "llama"), (Action.DELETE, "legal")]
    assert outcome.removed == ("legal", "llama")
    assert account.plan(spec).is_empty


def test_components_make_room_before_their_variant_gets_a_model(account: Account) -> None:
    account.deploy(_spec(_component("llama"), _adapter("legal", "llama"), auto_scaling=[_scaled("llama")]))
    account.changes()

    account.deploy(_spec())

    made = account.changes()
    assert made.index("UpdateEndpoint") > made.index("DeleteInferenceComponent")
    assert account.plan(_spec()).is_empty


def test_a_variable_that_left_the_spec_is_an_update(account: Account) -> None:
    container = {"image": "registry/app:1", "environment": {"A": "1", "B": "2"}}
    needs = {"min_memory_required_in_mb": 1024}

    def spec(environment: dict[str, str]) -> EndpointSpec:
        own = {"container": {**container, "environment": environment}, "compute_resource_requirements": needs}
        return _spec({"name": "own", "specification": own})

    account.deploy(spec({"A": "1", "B": "2"}))

    (change,) = [each for each in account.plan(spec({"A": "1"})).changes if each.kind is Kind.COMPONENT]
    assert [(field.path, field.new) for field in change.fields] == [("specification.container.environment.B", None)]
    account.deploy(spec({"A": "1"}))
    assert account.plan(spec({"A": "1"})).is_empty


def test_a_component_that_somebody_made_by_hand_is_not_taken_unasked(account: Account) -> None:
    account.deploy(_spec(_component("llama")))
    arn = account.sagemaker.describe_inference_component(InferenceComponentName="llama")["InferenceComponentArn"]
    account.sagemaker.delete_tags(ResourceArn=arn, TagKeys=["warmroute:endpoint"])
    account.changes()
    spec = _spec(_component("llama", runtime_config={"copy_count": 3}))

    with pytest.raises(DeploymentError, match="llama on endpoint shared was not made by warmroute"):
        account.deploy(spec)

    assert account.changes() == []
    account.deploy(spec, adopt=True)
    assert account.deploy(spec)[0].components == {"llama": "unchanged"}


class TestScaling:
    def test_limits_and_policies_are_changed_in_place(self, account: Account) -> None:
        tracking = {"target_tracking": {"target_value": 5}}
        account.deploy(_spec(_component("llama"), auto_scaling=[_scaled("llama", **tracking)]))
        tracking = {"target_tracking": {"target_value": 8}, "max_capacity": 6}
        spec = _spec(_component("llama"), auto_scaling=[_scaled("llama", **tracking)])

        plan = account.plan(spec)
        account.deploy(spec)

        fields = [(field.path, field.old, field.new) for change in plan.changes for field in change.fields]
        assert fields == [("max_capacity", 4, 6), ("target_value", 5.0, 8.0)]
        assert account.plan(spec).is_empty

    def test_what_left_the_spec_is_removed_with_its_policy(self, account: Account) -> None:
        tracking = {"target_tracking": {"target_value": 5}}
        account.deploy(_spec(_component("llama"), auto_scaling=[_scaled("llama", **tracking)]))
        spec = _spec(_component("llama"))

        plan = account.plan(spec)
        account.deploy(spec)

        assert _of(plan, Kind.SCALABLE_TARGET, Kind.SCALING_POLICY) == [
            (Action.DELETE, "shared-llama-target-tracking"),
            (Action.DELETE, "inference-component/llama"),
        ]
        scaling = account.session.client("application-autoscaling")
        assert scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
        assert scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"] == []

    def test_a_target_with_a_policy_of_somebody_else_stays(self, account: Account) -> None:
        tracking = {"target_tracking": {"target_value": 5}}
        account.deploy(_spec(_component("llama"), auto_scaling=[_scaled("llama", **tracking)]))
        scaling = account.session.client("application-autoscaling")
        place = {
            "ServiceNamespace": "sagemaker",
            "ResourceId": "inference-component/llama",
            "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
        }
        scaling.put_scaling_policy(
            PolicyName="by-hand",
            PolicyType="StepScaling",
            StepScalingPolicyConfiguration={"AdjustmentType": "ChangeInCapacity"},
            **place,
        )

        account.deploy(_spec(_component("llama")))

        policies = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
        assert [policy["PolicyName"] for policy in policies] == ["by-hand"]
        assert account.plan(_spec(_component("llama"))).is_empty

    @pytest.mark.parametrize("routing", ["RANDOM", "LEAST_OUTSTANDING_REQUESTS"], ids=["in place", "blue/green"])
    def test_instances_that_somebody_else_scales_are_not_reset(self, account: Account, routing: str) -> None:
        account.deploy(_spec())
        _scale_by_hand(account, "endpoint/shared/variant/main", "sagemaker:variant:DesiredInstanceCount")
        scaled_out = [{"VariantName": "main", "DesiredInstanceCount": 5}]
        account.sagemaker.update_endpoint_weights_and_capacities(
            EndpointName="shared", DesiredWeightsAndCapacities=scaled_out
        )
        account.clock.advance(600)
        spec = _spec(variants=[{**BASE["variants"][0], "routing_config": {"routing_strategy": routing}}])

        (count,) = account.plan(spec).instances
        account.deploy(spec)

        (variant,) = account.sagemaker.describe_endpoint(EndpointName="shared")["ProductionVariants"]
        assert (count.after, variant["DesiredInstanceCount"]) == (5, 5)
        assert account.plan(spec).is_empty

    def test_copies_that_somebody_else_scales_are_not_reset(self, account: Account) -> None:
        spec = _spec(_component("llama", runtime_config={"copy_count": 1}))
        account.deploy(spec)
        _scale_by_hand(account, "inference-component/llama", "sagemaker:inference-component:DesiredCopyCount")
        account.sagemaker.update_inference_component_runtime_config(
            InferenceComponentName="llama", DesiredRuntimeConfig={"CopyCount": 2}
        )
        account.clock.advance(600)

        assert account.plan(spec).is_empty

    def test_a_variant_that_leaves_is_no_longer_scaled_before_it_goes(self, account: Account) -> None:
        variants = [{**BASE["variants"][0], "name": name, "initial_variant_weight": 1.0} for name in ("main", "other")]
        scaled = [{"variant_name": "other", "min_capacity": 1, "max_capacity": 3}]
        account.deploy(_spec(variants=variants, auto_scaling=scaled))
        account.changes()

        account.deploy(_spec(variants=variants[:1]))

        assert account.changes() == [
            "CreateEndpointConfig",
            "DeregisterScalableTarget",
            "UpdateEndpoint",
        ]


def _scale_by_hand(account: Account, resource: str, dimension: str) -> None:
    scaling = account.session.client("application-autoscaling")
    place = {"ServiceNamespace": "sagemaker", "ResourceId": resource, "ScalableDimension": dimension}
    scaling.register_scalable_target(MinCapacity=1, MaxCapacity=20, **place)
    scaling.put_scaling_policy(
        PolicyName="by-hand",
        PolicyType="StepScaling",
        StepScalingPolicyConfiguration={"AdjustmentType": "ChangeInCapacity"},
        **place,
    )
