"""Specs that together hold every setting, and a strategy that makes many more."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from warmroute.hosting import EndpointSpec, parse_spec

ROLE = "arn:aws:iam::123456789012:role/sagemaker-execution"

MINIMAL = """
name: tiny
region: eu-west-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model: {source: {hugging_face: Qwen/Qwen3-0.6B}}
variants: [{name: main, instance_type: ml.g5.xlarge, initial_instance_count: 1}]
"""

DEMO = """
name: support-bot
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model:
  image: {framework: vllm, version: "0.30.0"}
  source: {hugging_face: meta-llama/Llama-3.1-70B-Instruct}
  vllm: {tensor_parallel_size: 8, max_num_seqs: 64, enable_prompt_tokens_details: true}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 7
    container_startup_health_check_timeout_in_seconds: 3600
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 4096, concurrency_threshold: 16}
"""

COMPONENTS = """
name: shared-fleet
region: us-west-2
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
vpc_config: {security_group_ids: [sg-0a1b2c3d], subnets: [subnet-0a1b2c3d, subnet-1a2b3c4d]}
enable_network_isolation: true
tags: {team: search, cost-centre: "42"}
model:
  source: {s3_prefix: "s3://models/llama-70b/"}
  vllm: {tensor_parallel_size: 8, enable_lora: true, max_loras: 8}
models:
  draft:
    source: {s3_archive: "s3://models/draft.tar.gz"}
    image: {uri: "123456789012.dkr.ecr.us-west-2.amazonaws.com/vllm:0.30.0-gpu-py312-cu130"}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 2
    managed_instance_scaling:
      status: ENABLED
      min_instance_count: 2
      max_instance_count: 6
      scale_in_policy: {strategy: CONSOLIDATION, maximum_step_size: 2, cooldown_in_minutes: 10}
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 1024, concurrency_threshold: 10}
inference_components:
  - name: legal-adapter
    specification:
      base_inference_component_name: llama
      container: {artifact_url: "s3://models/legal.tar.gz"}
    tags: {team: legal}
  - name: llama
    specification:
      startup_parameters:
        model_data_download_timeout_in_seconds: 1200
        container_startup_health_check_timeout_in_seconds: 1800
      compute_resource_requirements:
        number_of_accelerator_devices_required: 4
        min_memory_required_in_mb: 65536
        max_memory_required_in_mb: 131072
        number_of_cpu_cores_required: 8
      data_cache_config: {enable_caching: true}
      scheduling_config:
        placement_strategy: SPREAD
        availability_zone_balance: {enforcement_mode: PERMISSIVE, max_imbalance: 1}
    runtime_config: {copy_count: 3}
    deployment_config:
      rolling_update_policy:
        maximum_batch_size: {type: COPY_COUNT, value: 1}
        wait_interval_in_seconds: 60
        maximum_execution_timeout_in_seconds: 3600
        rollback_maximum_batch_size: {type: CAPACITY_PERCENT, value: 50}
      auto_rollback_configuration: {alarms: [{alarm_name: errors}]}
  - name: Draft
    specification:
      model_name: draft
      compute_resource_requirements: {number_of_accelerator_devices_required: 1, min_memory_required_in_mb: 8192}
  - name: foreign
    specification:
      container:
        image: "123456789012.dkr.ecr.us-west-2.amazonaws.com/vllm:0.30.0-gpu-py312-cu130"
        artifact_url: "s3://models/foreign.tar.gz"
        environment: {A_KEY: "${HOME} %{x}"}
        container_metrics_config:
          metrics_endpoints: [{metrics_endpoint_path: /metrics, metric_publish_frequency_in_seconds: 10}]
      compute_resource_requirements: {min_memory_required_in_mb: 1024}
auto_scaling:
  - inference_component_name: llama
    min_capacity: 2
    max_capacity: 12
    target_tracking: {target_value: 5.5, disable_scale_in: true}
"""

EVERYTHING = """
name: every-setting
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
vpc_config: {security_group_ids: [sg-0a1b2c3d], subnets: [subnet-0a1b2c3d]}
enable_network_isolation: true
kms_key_id: arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab
tags: {team: search}
models:
  large:
    source: {s3_prefix: "s3://models/large/", model_access_config: {accept_eula: true}}
    vllm: {tensor_parallel_size: 4, speculative_config: {method: ngram, num_speculative_tokens: 3}}
    environment: {HF_HUB_OFFLINE: "1", TEMPLATE: "${x}%{y}"}
  packaged: {source: {model_package: "arn:aws:sagemaker:us-east-1:123456789012:model-package/llama/1"}}
  pipeline:
    containers:
      - container_hostname: first
        image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/pre:1
        image_config:
          repository_access_mode: Vpc
          repository_auth_config:
            repository_credentials_provider_arn: arn:aws:lambda:us-east-1:123456789012:function:login
        mode: MultiModel
        multi_model_config: {model_cache_setting: Enabled}
        model_data_source:
          s3_data_source: {s3_uri: "s3://models/pre/", s3_data_type: S3Prefix, compression_type: None}
      - {container_hostname: second, image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/post:1}
    inference_execution_config: {mode: Serial}
    execution_role_arn: arn:aws:iam::123456789012:role/another
    tags: {team: pipeline}
variants:
  - name: main
    model_name: large
    initial_instance_count: 4
    instance_pools:
      - {instance_type: ml.p5.48xlarge, priority: 1}
      - {instance_type: ml.p4d.24xlarge, priority: 2, model_name_override: pipeline}
    variant_instance_provision_timeout_in_seconds: 900
    initial_variant_weight: 2
    core_dump_config: {destination_s3_uri: "s3://dumps/x", kms_key_id: alias/dumps}
    volume_size_in_gb: 256
    model_data_download_timeout_in_seconds: 1800
    container_startup_health_check_timeout_in_seconds: 1800
    managed_instance_scaling: {status: DISABLED, min_instance_count: 2, max_instance_count: 8}
    routing_config:
      routing_strategy: PREFIX_AWARE
      prefix_aware_routing_config: {prefix_length: 65536, concurrency_threshold: 1024}
    inference_ami_version: al2023-ami-sagemaker-inference-gpu-4-1
shadow_variants:
  - name: candidate
    model_name: large
    instance_type: ml.p5.48xlarge
    initial_instance_count: 1
    capacity_reservation_config:
      capacity_reservation_preference: capacity-reservations-only
      ml_reservation_arn: arn:aws:sagemaker:us-east-1:123456789012:training-plan/a-plan
    routing_config: {routing_strategy: LEAST_OUTSTANDING_REQUESTS}
data_capture_config:
  enable_capture: true
  initial_sampling_percentage: 20
  destination_s3_uri: "s3://captured/x"
  kms_key_id: alias/captured
  capture_options: [{capture_mode: InputAndOutput}]
  capture_content_type_header: {json_content_types: [application/json], csv_content_types: [text/csv]}
metrics_config:
  {enable_enhanced_metrics: true, enable_detailed_observability: true, metric_publish_frequency_in_seconds: 10}
async_inference_config:
  client_config: {max_concurrent_invocations_per_instance: 16}
  output_config:
    kms_key_id: alias/answers
    s3_output_path: "s3://answers/x"
    s3_failure_path: "s3://failures/x"
    notification_config:
      success_topic: arn:aws:sns:us-east-1:123456789012:good
      error_topic: arn:aws:sns:us-east-1:123456789012:bad
      include_inference_response_in: [SUCCESS_NOTIFICATION_TOPIC]
explainer_config:
  clarify_explainer_config:
    enable_explanations: "`true`"
    inference_config: {features_attribute: features, max_record_count: 5, feature_types: [text]}
    shap_config:
      shap_baseline_config: {mime_type: text/csv, shap_baseline: "0,0"}
      number_of_samples: 50
      text_config: {language: en, granularity: token}
deployment_config:
  blue_green_update_policy:
    traffic_routing_configuration:
      {type: CANARY, wait_interval_in_seconds: 300, canary_size: {type: CAPACITY_PERCENT, value: 25}}
    termination_wait_in_seconds: 120
    maximum_execution_timeout_in_seconds: 7200
  auto_rollback_configuration: {alarms: [{alarm_name: errors}, {alarm_name: latency}]}
retain_all_variant_properties: true
"""

AUTOSCALED = """
name: autoscaled
region: eu-central-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
tags: {team: search}
model: {source: {hugging_face: meta-llama/Llama-3.1-8B-Instruct}, vllm: {max_num_seqs: 128}}
models: {candidate: {source: {hugging_face: meta-llama/Llama-3.2-8B-Instruct}}}
variants:
  - {name: main, instance_type: ml.g6e.4xlarge, initial_instance_count: 4, initial_variant_weight: 9}
  - {name: next, model_name: candidate, instance_type: ml.g6e.4xlarge, initial_instance_count: 4}
  - {name: account-model, model_name: made-elsewhere, instance_type: ml.m5.xlarge, initial_instance_count: 4}
auto_scaling:
  - variant_name: main
    min_capacity: 2
    max_capacity: 16
    target_tracking: {target_value: 12, scale_in_cooldown: 600, scale_out_cooldown: 60}
  - {variant_name: next, min_capacity: 2, max_capacity: 4}
deployment_config:
  rolling_update_policy:
    maximum_batch_size: {type: CAPACITY_PERCENT, value: 25}
    wait_interval_in_seconds: 120
    maximum_execution_timeout_in_seconds: 14400
    rollback_maximum_batch_size: {type: CAPACITY_PERCENT, value: 100}
"""

SERVERLESS = """
name: serverless
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model: {primary_container: {image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1, model_data_url: "s3://models/m.tar.gz"}}
variants:
  - name: main
    serverless_config: {memory_size_in_mb: 4096, max_concurrency: 20, provisioned_concurrency: 5}
auto_scaling:
  - variant_name: main
    min_capacity: 1
    max_capacity: 10
    target_tracking:
      {target_value: 0.7, predefined_metric_type: SageMakerVariantProvisionedConcurrencyUtilization}
"""

HETEROGENEOUS = """
name: heterogeneous
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model: {source: {s3_prefix: "s3://models/a/"}}
models: {quantised: {source: {s3_prefix: "s3://models/b/"}, vllm: {quantization: fp8}}}
variants:
  - name: main
    initial_instance_count: 3
    instance_pools:
      - {instance_type: ml.p5.48xlarge, priority: 1}
      - {instance_type: ml.g6e.48xlarge, priority: 2}
inference_components:
  - name: everywhere
    specifications:
      - instance_type: ml.p5.48xlarge
        compute_resource_requirements: {min_memory_required_in_mb: 65536, number_of_accelerator_devices_required: 2}
      - instance_type: ml.g6e.48xlarge
        model_name: quantised
        compute_resource_requirements: {min_memory_required_in_mb: 32768, number_of_accelerator_devices_required: 4}
"""

SPECS = {
    name: parse_spec(text)
    for name, text in {
        "minimal": MINIMAL,
        "demo": DEMO,
        "components": COMPONENTS,
        "everything": EVERYTHING,
        "autoscaled": AUTOSCALED,
        "serverless": SERVERLESS,
        "heterogeneous": HETEROGENEOUS,
    }.items()
}
"""Specs by name; CloudFormation knows every setting in them."""


WITHOUT_ROLE = EndpointSpec.parse(SPECS["demo"].model_dump(exclude_none=True, exclude={"execution_role_arn"}))

# What CloudFormation has no property for.
MIG = parse_spec("""
name: mig
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/x
model: {source: {s3_prefix: "s3://m/x/"}}
variants:
  - name: main
    instance_type: ml.p5.48xlarge
    initial_instance_count: 2
    accelerator_partition_layouts: [{accelerator_partition_types: [mig-3g.40gb]}]
inference_components:
  - name: a
    specification:
      compute_resource_requirements:
        min_memory_required_in_mb: 1024
        number_of_accelerator_devices_required: 1
        accelerator_partition_type: mig-3g.40gb
""")
TYPED = parse_spec("""
name: typed
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/x
model: {source: {s3_prefix: "s3://m/x/"}}
variants: [{name: main, instance_type: ml.p5.48xlarge, initial_instance_count: 2}]
inference_components:
  - name: a
    specification:
      instance_type: ml.p5.48xlarge
      compute_resource_requirements: {min_memory_required_in_mb: 1024}
""")
DRAFTED = parse_spec("""
name: drafted
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/x
model:
  primary_container:
    image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1
    additional_model_data_sources:
      - channel_name: draft
        s3_data_source: {s3_uri: "s3://m/d/", s3_data_type: S3Prefix, compression_type: None}
variants: [{name: main, instance_type: ml.p5.48xlarge, initial_instance_count: 2}]
""")


def demo(**changes: Any) -> EndpointSpec:
    """The demonstration spec with other values of its fields."""
    return EndpointSpec.parse({**SPECS["demo"].model_dump(exclude_none=True), **changes})


def demo_variant(**changes: Any) -> dict[str, Any]:
    """The variant of the demonstration spec with other values of its fields."""
    return {**SPECS["demo"].variants[0].model_dump(exclude_none=True), **changes}


_names = st.from_regex(r"[a-zA-Z0-9](-?[a-zA-Z0-9]){0,30}", fullmatch=True)
_texts = st.text(max_size=40)
_routing = st.one_of(
    st.none(),
    st.sampled_from(["RANDOM", "LEAST_OUTSTANDING_REQUESTS"]).map(lambda strategy: {"routing_strategy": strategy}),
    st.builds(
        lambda length, threshold: {
            "routing_strategy": "PREFIX_AWARE",
            "prefix_aware_routing_config": {"prefix_length": length, "concurrency_threshold": threshold},
        },
        st.integers(1_024, 65_536),
        st.integers(1, 1_024),
    ),
)
_tags = st.none() | st.dictionaries(
    st.text("abcXYZ0-9 :/_.+", min_size=1, max_size=20).filter(lambda key: not key.startswith("aws:")),
    st.text("abcXYZ ", max_size=20),
    max_size=4,
)


def _kept(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@st.composite
def specs(draw: st.DrawFn) -> EndpointSpec:
    """Valid specs whose every setting CloudFormation knows, over many combinations of settings."""
    served_by_components = draw(st.booleans())
    variant_names = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    variants = [
        _kept(
            {
                "name": name,
                "instance_type": draw(st.sampled_from(["ml.p5.48xlarge", "ml.g6e.4xlarge", "ml.m5.xlarge"])),
                "initial_instance_count": draw(st.integers(1, 20)),
                "initial_variant_weight": draw(st.none() | st.floats(0, 10)),
                "routing_config": draw(_routing),
                "enable_ssm_access": draw(st.none() | st.booleans()),
            }
        )
        for name in variant_names
    ]
    values = {
        "name": draw(_names),
        "region": draw(st.sampled_from(["us-east-1", "eu-west-1", "ap-northeast-1"])),
        "execution_role_arn": ROLE,
        "model": {
            "source": {"s3_prefix": "s3://models/a/"},
            "environment": draw(st.dictionaries(st.sampled_from(["A_KEY", "B_KEY"]), _texts)) or None,
        },
        "variants": variants,
        "tags": draw(_tags),
        "enable_network_isolation": draw(st.none() | st.booleans()),
        "retain_all_variant_properties": draw(st.none() | st.booleans()),
    }
    values["model"] = _kept(values["model"])
    if served_by_components:
        values["inference_components"] = [
            _kept(
                {
                    "name": name,
                    "variant_name": draw(st.sampled_from(variant_names)),
                    "specification": {
                        "compute_resource_requirements": {"min_memory_required_in_mb": draw(st.integers(128, 10**6))}
                    },
                    "runtime_config": draw(
                        st.none() | st.builds(lambda count: {"copy_count": count}, st.integers(0, 9))
                    ),
                    "tags": draw(_tags),
                }
            )
            for name in draw(st.lists(_names, min_size=1, max_size=3, unique=True))
        ]
    elif draw(st.booleans()):
        values["auto_scaling"] = [
            {
                "variant_name": variant_names[0],
                "min_capacity": draw(st.integers(1, 5)),
                "max_capacity": draw(st.integers(5, 50)),
                "target_tracking": {"target_value": draw(st.floats(0.5, 100))},
            }
        ]
    return EndpointSpec.parse(_kept(values))
