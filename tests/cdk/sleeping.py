"""A spec whose component scales to zero copies."""

from __future__ import annotations

from warmroute.hosting import parse_spec

SLEEPING = parse_spec("""
name: sleeping
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/sagemaker-execution
model: {source: {s3_prefix: "s3://models/llama/"}}
variants:
  - name: main
    instance_type: ml.g5.xlarge
    initial_instance_count: 1
    managed_instance_scaling: {status: ENABLED, min_instance_count: 0, max_instance_count: 4}
inference_components:
  - name: llama
    specification:
      compute_resource_requirements: {min_memory_required_in_mb: 1024, number_of_accelerator_devices_required: 1}
    runtime_config: {copy_count: 1}
auto_scaling:
  - inference_component_name: llama
    min_capacity: 0
    max_capacity: 4
    target_tracking: {target_value: 5}
""")
