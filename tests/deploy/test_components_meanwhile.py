"""Components that somebody else changes while a spec is applied, or that are in the middle of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control.hooks import registry_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Account


def _spec(name: str = "shared", *components: str, memory: int = 1_024) -> EndpointSpec:
    needs = {"min_memory_required_in_mb": memory}
    hosted = [{"name": each, "specification": {"compute_resource_requirements": needs}} for each in components]
    return EndpointSpec.parse(
        {
            "name": name,
            "region": "us-east-1",
            "execution_role_arn": "arn:aws:iam::123456789012:role/sagemaker",
            "model": {"source": {"s3_prefix": "s3://models/llama/"}},
            "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
            **({"inference_components": hosted} if hosted else {}),
        }
    )


SPEC = _spec("shared", "llama")


def _memory(account: Account) -> int:
    described = account.sagemaker.describe_inference_component(InferenceComponentName="llama")
    memory: int = described["Specification"]["ComputeResourceRequirements"]["MinMemoryRequiredInMb"]
    return memory


def _before(account: Account, operation: str, act: Callable[[Any], None], *, times: int = 1) -> None:
    """Let somebody else act right before our calls of an operation."""
    other = boto3.client("sagemaker", "us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")
    left = [None] * times

    def meanwhile(**_: Any) -> None:
        if left:
            left.pop()
            act(other)

    account.session.events.register(f"before-call.sagemaker.{operation}", meanwhile)


def _scale(client: Any) -> None:
    client.update_inference_component_runtime_config(
        InferenceComponentName="llama", DesiredRuntimeConfig={"CopyCount": 2}
    )


def _delete(client: Any) -> None:
    client.delete_inference_component(InferenceComponentName="llama")


def test_a_component_that_is_going_is_waited_for_and_made_again(account: Account) -> None:
    account.deploy(SPEC)
    _before(account, "DescribeInferenceComponent", _delete)

    outcome, steps = account.deploy(_spec("shared", "llama", memory=2_048))

    assert outcome.components == {"llama": "created"}
    assert _memory(account) == 2_048
    assert any(step.action == "waiting" and step.name == "llama" for step in steps)


def test_an_update_waits_for_the_one_of_somebody_else(account: Account) -> None:
    account.deploy(SPEC)
    _before(account, "UpdateInferenceComponent", _scale)

    outcome, _ = account.deploy(_spec("shared", "llama", memory=2_048))

    assert outcome.components == {"llama": "updated"}
    assert _memory(account) == 2_048


def test_an_update_that_is_undone_again_and_again_is_told(account: Account) -> None:
    account.deploy(SPEC)
    registry = registry_at("123456789012", "us-east-1")
    component = registry.components["llama"]
    before = component.specifications

    def undo(**_: Any) -> None:
        with registry.lock:
            registry.settle()
            component.specifications = before

    account.session.events.register("before-call.sagemaker.DescribeInferenceComponent", undo)

    with pytest.raises(DeploymentError, match="llama has been updated, and does not show it") as error:
        account.deploy(_spec("shared", "llama", memory=2_048))

    assert "somebody else changes it too; apply again" in str(error.value)


def test_a_name_that_another_endpoint_takes_meanwhile_is_told(account: Account) -> None:
    account.deploy(_spec("other", "draft"))
    account.deploy(_spec("shared"))

    def take(other: Any) -> None:
        other.create_inference_component(
            InferenceComponentName="llama",
            EndpointName="other",
            VariantName="main",
            Specification={
                "Container": {"Image": "vllm:1"},
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1_024},
            },
            RuntimeConfig={"CopyCount": 1},
        )

    _before(account, "CreateInferenceComponent", take)

    with pytest.raises(DeploymentError, match="llama has just been created on endpoint other") as error:
        account.deploy(SPEC)

    assert "unique in an account and region: give this one another name" in str(error.value)


@pytest.mark.parametrize("change", [_scale, _delete])
def test_a_component_in_the_middle_of_a_change_is_deleted_after_it(
    account: Account, change: Callable[[Any], None]
) -> None:
    account.deploy(_spec("shared", "llama", "draft"))
    _before(account, "DeleteInferenceComponent", change)

    outcome, _ = account.deploy(_spec("shared", "draft"))

    assert outcome.removed == ("llama",)
    assert sorted(registry_at("123456789012", "us-east-1").components) == ["draft"]


def test_a_component_whose_change_fails_is_deleted_all_the_same(account: Account) -> None:
    account.deploy(_spec("shared", "llama", "draft"))
    registry = registry_at("123456789012", "us-east-1")
    component = registry.components["llama"]
    looks = [None] * 2

    def fail(**_: Any) -> None:
        if component.status == "Updating":
            looks.pop()
            component.status = "Updating" if looks else "Failed"

    _before(account, "DeleteInferenceComponent", _scale)
    account.session.events.register("before-call.sagemaker.DescribeInferenceComponent", fail)

    outcome, _ = account.deploy(_spec("shared", "draft"))

    assert (outcome.removed, looks) == (("llama",), [])
    assert sorted(registry.components) == ["draft"]
