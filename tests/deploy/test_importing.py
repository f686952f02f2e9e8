"""The spec of an endpoint that exists: a plan on it has nothing to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from warmroute.demo import example_spec
from warmroute.deploy import DeployedEndpoint, Imported
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec, parse_spec

if TYPE_CHECKING:
    from conftest import Account

ROLE = "arn:aws:iam::123456789012:role/sagemaker-execution"

COMPONENTS = """
name: shared
region: us-west-2
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
vpc_config: {security_group_ids: [sg-0a1b2c3d], subnets: [subnet-0a1b2c3d]}
tags: {team: search}
model: {source: {s3_prefix: "s3://models/llama/"}, vllm: {tensor_parallel_size: 8, enable_lora: true}}
models:
  draft: {source: {s3_archive: "s3://models/draft.tar.gz"}}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 2
    managed_instance_scaling: {status: ENABLED, min_instance_count: 2, max_instance_count: 6}
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 1024, concurrency_threshold: 10}
inference_components:
  - name: llama
    specification:
      compute_resource_requirements: {number_of_accelerator_devices_required: 8, min_memory_required_in_mb: 65536}
      scheduling_config: {placement_strategy: SPREAD}
    runtime_config: {copy_count: 2}
  - name: draft
    specification:
      model_name: draft
      compute_resource_requirements: {min_memory_required_in_mb: 8192}
  - name: legal
    specification:
      base_inference_component_name: llama
      container: {artifact_url: "s3://models/legal.tar.gz"}
    tags: {team: legal}
  - name: foreign
    specification:
      container: {image: "registry/vllm:1", environment: {A: "1"}}
      compute_resource_requirements: {min_memory_required_in_mb: 1024}
auto_scaling:
  - {inference_component_name: llama, min_capacity: 2, max_capacity: 12, target_tracking: {target_value: 5.5}}
"""

VARIANTS = """
name: split
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
enable_network_isolation: true
tags: {team: search, cost-centre: "42"}
models:
  large:
    source: {s3_prefix: "s3://models/large/", model_access_config: {accept_eula: true}}
    vllm:
      max_num_seqs: 32
      enable_prefix_caching: false
      gpu_memory_utilization: 0.9
      served_model_name: [large, llama]
      speculative_config: {method: ngram, num_speculative_tokens: 3}
      other_arguments: {async_scheduling: true, swap_space: 4}
    environment: {HF_TOKEN: "hf_secret", SM_VLLM_ODD: "TRUE"}
  other:
    primary_container: {image: "registry/app:1", model_data_url: "s3://models/app.tar.gz"}
    execution_role_arn: arn:aws:iam::123456789012:role/another
variants:
  - {name: blue, model_name: large, instance_type: ml.g5.12xlarge, initial_instance_count: 3}
  - name: green
    model_name: other
    instance_type: ml.m5.xlarge
    initial_instance_count: 1
    initial_variant_weight: 0.2
auto_scaling:
  - {variant_name: blue, min_capacity: 2, max_capacity: 6, target_tracking: {target_value: 12, scale_in_cooldown: 600}}
  - {variant_name: green, min_capacity: 1, max_capacity: 2}
deployment_config:
  blue_green_update_policy:
    traffic_routing_configuration:
      type: CANARY
      wait_interval_in_seconds: 60
      canary_size: {type: CAPACITY_PERCENT, value: 30}
    maximum_execution_timeout_in_seconds: 1800
data_capture_config:
  enable_capture: true
  initial_sampling_percentage: 10
  destination_s3_uri: s3://captured/
  capture_options: [{capture_mode: Input}]
"""

SERVERLESS = """
name: small
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model: {primary_container: {image: "registry/app:1"}}
variants: [{name: main, serverless_config: {memory_size_in_mb: 2048, max_concurrency: 20}}]
"""

POOLS = """
name: pools
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
models:
  big: {source: {s3_prefix: "s3://m/big/"}}
  small: {source: {s3_prefix: "s3://m/small/"}}
variants:
  - name: main
    model_name: big
    initial_instance_count: 2
    instance_pools:
      - {instance_type: ml.p5.48xlarge, priority: 1}
      - {instance_type: ml.g6.12xlarge, priority: 2, model_name_override: small}
"""


def imported(account: Account, name: str, region: str) -> Imported:
    return DeployedEndpoint(name, account.session, region=region).to_spec()


@pytest.mark.parametrize("document", [COMPONENTS, VARIANTS, SERVERLESS, POOLS, None])
def test_a_plan_on_an_imported_spec_has_nothing_to_do(account: Account, document: str | None) -> None:
    spec = parse_spec(document) if document else example_spec()
    account.deploy(spec)

    found = imported(account, spec.name, spec.region)

    assert (found.differences, account.plan(found.spec).is_empty) == ((), True)
    again = EndpointSpec.parse(found.spec.model_dump(mode="json", exclude_none=True, exclude_unset=True))
    assert account.plan(again).is_empty


def test_numbers_of_tokens_are_no_secrets(account: Account) -> None:
    spec = example_spec()
    account.deploy(spec)
    assert spec.model.vllm.enable_prompt_tokens_details

    assert imported(account, spec.name, spec.region).secrets == ()


def test_what_was_written_comes_back_in_its_own_words(account: Account) -> None:
    spec = parse_spec(VARIANTS)
    account.deploy(spec)

    found = imported(account, "split", "us-east-1")

    large = found.spec.models["blue"]
    assert large.vllm == spec.models["large"].vllm
    assert large.environment == {"HF_TOKEN": "hf_secret", "SM_VLLM_ODD": "TRUE"}
    assert found.secrets == ("HF_TOKEN",)
    assert found.spec.tags == spec.tags
    assert found.spec.deployment_config == spec.deployment_config
    assert found.spec.data_capture_config == spec.data_capture_config
    tracking = found.spec.auto_scaling[0].target_tracking
    assert (tracking.target_value, tracking.scale_in_cooldown) == (12.0, 600)


def _by_hand(account: Account, *, image: str, **variant: Any) -> None:
    """An endpoint as a person makes it with boto3, under names of their own."""
    account.sagemaker.create_model(
        ModelName="their-model",
        ExecutionRoleArn=ROLE,
        PrimaryContainer={"Image": image, "Environment": {"SM_VLLM_MODEL": "Qwen/Qwen3-0.6B"}},
    )
    settings = {"VariantName": "AllTraffic", "ModelName": "their-model", "InstanceType": "ml.g6.2xlarge", **variant}
    account.sagemaker.create_endpoint_config(EndpointConfigName="their-config", ProductionVariants=[settings])
    account.sagemaker.create_endpoint(EndpointName="theirs", EndpointConfigName="their-config")
    account.clock.advance(60)
    account.changes()


def test_an_endpoint_of_other_names_is_told_as_vllm_and_kept_as_it_is(account: Account) -> None:
    _by_hand(account, image="registry/vllm:mine", InitialInstanceCount=2)

    spec = imported(account, "theirs", "us-east-1").spec

    assert spec.model.source.hugging_face == "Qwen/Qwen3-0.6B"
    assert account.plan(spec).is_empty
    account.deploy(spec, adopt=True)
    assert account.changes() == []
    endpoint = account.sagemaker.describe_endpoint(EndpointName="theirs")
    assert endpoint["EndpointConfigName"] == "their-config"


def test_what_a_container_would_derive_falls_back_to_the_model_of_the_account(account: Account) -> None:
    # For this image a spec derives an AMI, which the endpoint was made without.
    _by_hand(account, image="registry/vllm:0.30.0-cu130", InitialInstanceCount=2)

    found = imported(account, "theirs", "us-east-1")

    assert (found.spec.variants[0].model_name, found.differences) == ("their-model", ())


def test_counts_of_now_are_told_rather_than_those_of_the_beginning(account: Account) -> None:
    spec = example_spec()
    account.deploy(spec)
    account.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="support-bot", DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 4}]
    )
    account.clock.advance(60)

    found = imported(account, "support-bot", "us-east-1")

    assert found.spec.variants[0].initial_instance_count == 4
    assert account.plan(found.spec).is_empty


def test_an_endpoint_that_does_not_exist_is_said(account: Account) -> None:
    with pytest.raises(DeploymentError, match="There is no endpoint nobody in us-east-1"):
        imported(account, "nobody", "us-east-1")


def test_cooldowns_of_no_time_are_told(account: Account) -> None:
    tracking = {"target_value": 9, "scale_in_cooldown": 0, "scale_out_cooldown": 0, "disable_scale_in": True}
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9, "target_tracking": tracking}]
    spec = EndpointSpec.parse({**example_spec().model_dump(mode="json", exclude_none=True), "auto_scaling": scaling})
    account.deploy(spec)

    found = imported(account, spec.name, spec.region)

    assert (found.differences, account.plan(found.spec).is_empty) == ((), True)


def test_a_second_policy_on_a_target_does_not_take_the_place_of_our_own(account: Account) -> None:
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9, "target_tracking": {"target_value": 9}}]
    spec = EndpointSpec.parse({**example_spec().model_dump(mode="json", exclude_none=True), "auto_scaling": scaling})
    account.deploy(example_spec())
    place = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/support-bot/variant/main",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    metric = {"PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"}
    by_hand = account.session.client("application-autoscaling")
    by_hand.register_scalable_target(MinCapacity=2, MaxCapacity=9, **place)
    by_hand.put_scaling_policy(
        PolicyName="by-hand",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={"TargetValue": 5.0, "PredefinedMetricSpecification": metric},
        **place,
    )
    account.deploy(spec)

    found = imported(account, spec.name, spec.region)

    assert (found.differences, account.plan(found.spec).is_empty) == ((), True)
