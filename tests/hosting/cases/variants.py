"""Cases of the checks of variants (WR2..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS, changed

VARIANT = ONE_MODEL["variants"][0]
SECOND = {**VARIANT, "name": "second"}
CPU = {"name": "cpu", "instance_type": "ml.m5.xlarge", "initial_instance_count": 1}
POOLS = [{"instance_type": "ml.p5.48xlarge", "priority": 1}, {"instance_type": "ml.p5e.48xlarge", "priority": 2}]
POOLED = {"variants[0].instance_type": DROP, "variants[0].instance_pools": POOLS}
OF_INSTANCES = {
    "initial_instance_count": 1,
    "managed_instance_scaling": {"max_instance_count": 2},
    "inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1",
    "volume_size_in_gb": 100,
    "model_data_download_timeout_in_seconds": 600,
    "container_startup_health_check_timeout_in_seconds": 600,
    "variant_instance_provision_timeout_in_seconds": 600,
    "capacity_reservation_config": {"capacity_reservation_preference": "capacity-reservations-only"},
    "accelerator_partition_layouts": [{"accelerator_partition_types": ["mig-1g.10gb"]}],
    "enable_ssm_access": True,
}

CASES = [
    error(
        "WR201",
        "shadow_variants",
        ONE_MODEL,
        {"shadow_variants": [SECOND], "variants[1]": {**VARIANT, "name": "third"}},
        {"shadow_variants": [SECOND]},
    ),
    error("WR201", "shadow_variants", ONE_MODEL, {"shadow_variants": [SECOND, {**SECOND, "name": "b"}]}, {}),
    error("WR202", "variants", ONE_MODEL, {"variants[1]": VARIANT}, {"variants[1]": SECOND}),
    error("WR202", "variants", ONE_MODEL, {"shadow_variants": [VARIANT]}, {"shadow_variants": [SECOND]}),
    error("WR203", "variants[0]", ONE_MODEL, {"variants[0].instance_type": DROP}, {}),
    error("WR203", "variants[0]", ONE_MODEL, {"variants[0].instance_pools": POOLS}, POOLED),
    error(
        "WR204",
        "variants[0].instance_pools",
        ONE_MODEL,
        {**POOLED, "variants[0].instance_pools[1].instance_type": "ml.p5.48xlarge"},
        POOLED,
    ),
    error(
        "WR204",
        "variants[0].instance_pools",
        ONE_MODEL,
        {**POOLED, "variants[0].instance_pools[1].priority": 1},
        {**POOLED, "variants[0].instance_pools[1].priority": 5},
    ),
    *(
        error("WR205", f"variants[0].{field}", SERVERLESS, {f"variants[0].{field}": value}, {})
        for field, value in OF_INSTANCES.items()
    ),
    error(
        "WR206",
        "variants[0].serverless_config.provisioned_concurrency",
        SERVERLESS,
        {"variants[0].serverless_config.provisioned_concurrency": 21},
        {"variants[0].serverless_config.provisioned_concurrency": 20},
    ),
    error("WR207", "variants[0].accelerator_type", ONE_MODEL, {"variants[0].accelerator_type": "ml.eia2.medium"}, {}),
    warning(
        "WR208",
        "variants[1].instance_type",
        ONE_MODEL,
        {"variants[1]": {**CPU, "instance_type": "ml.p5.49xlarge"}, "model.vllm.tensor_parallel_size": 1},
        {"variants[1]": {**CPU, "instance_type": "ml.p5.4xlarge"}, "model.vllm.tensor_parallel_size": 1},
    ),
    warning(
        "WR208",
        "variants[1].instance_type",
        ONE_MODEL,
        {"variants[1]": {**CPU, "instance_type": "ml.zq9.1u"}, "model.vllm.tensor_parallel_size": 1},
        {"variants[1]": {**CPU, "instance_type": "ml.p5.4xlarge"}, "model.vllm.tensor_parallel_size": 1},
    ),
    warning(
        "WR209",
        "variants[0].instance_pools[1].instance_type",
        ONE_MODEL,
        {**POOLED, "variants[0].instance_pools[1].instance_type": "ml.p5f.48xlarge"},
        POOLED,
    ),
    warning(
        "WR210",
        "variants[0].volume_size_in_gb",
        ONE_MODEL,
        {"variants[0].volume_size_in_gb": 100},
        {"variants[0].volume_size_in_gb": 100, "variants[0].instance_type": "ml.p3.16xlarge"},
    ),
    warning(
        "WR211",
        "variants[0].instance_type",
        ONE_MODEL,
        {"kms_key_id": "alias/chat"},
        {"kms_key_id": "alias/chat", "variants[0].instance_type": "ml.p3.16xlarge"},
    ),
    warning("WR211", "variants[0].instance_pools", ONE_MODEL, {**POOLED, "kms_key_id": "alias/chat"}, POOLED),
    error(
        "WR212",
        "variants[0].model_name",
        COMPONENTS,
        {"variants[0].model_name": "llama"},
        {"inference_components[0].specification.model_name": "llama"},
    ),
    error(
        "WR212",
        "shadow_variants[0].model_name",
        COMPONENTS,
        {"shadow_variants": [{**COMPONENTS["variants"][0], "name": "shadow", "model_name": "llama"}]},
        {"shadow_variants": [{**COMPONENTS["variants"][0], "name": "shadow"}]},
    ),
    error(
        "WR213",
        "variants[1]",
        ONE_MODEL,
        {"model": DROP, "variants[0].model_name": "old", "variants[1]": SECOND},
        {"model": DROP, "variants[0].model_name": "old", "variants[1]": {**SECOND, "model_name": "new"}},
    ),
    error(
        "WR213",
        "shadow_variants[0]",
        ONE_MODEL,
        {"model": DROP, "variants[0].model_name": "old", "shadow_variants": [SECOND]},
        {"variants[0].model_name": "old", "shadow_variants": [SECOND]},
    ),
    warning(
        "WR214",
        "variants[0].initial_variant_weight",
        ONE_MODEL,
        {"variants[0].initial_variant_weight": 0},
        {"variants[0].initial_variant_weight": 0.1},
    ),
    warning(
        "WR215",
        "variants[0].container_startup_health_check_timeout_in_seconds",
        changed(ONE_MODEL, {"model.vllm.tensor_parallel_size": 1, "variants[0].instance_type": "ml.g5.12xlarge"}),
        {"variants[0].container_startup_health_check_timeout_in_seconds": DROP},
        {
            "variants[0].container_startup_health_check_timeout_in_seconds": DROP,
            "variants[0].instance_type": "ml.g5.16xlarge",
        },
    ),
    warning(
        "WR215",
        "variants[0].container_startup_health_check_timeout_in_seconds",
        ONE_MODEL,
        {"variants[0].container_startup_health_check_timeout_in_seconds": DROP},
        {"variants[0].container_startup_health_check_timeout_in_seconds": 60},
    ),
    warning(
        "WR215",
        "variants[0].container_startup_health_check_timeout_in_seconds",
        ONE_MODEL,
        {"variants[0].container_startup_health_check_timeout_in_seconds": DROP},
        {
            "variants[0].container_startup_health_check_timeout_in_seconds": DROP,
            "variants[0].model_name": "in-the-account",
            "model": DROP,
        },
    ),
]
