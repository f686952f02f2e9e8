"""Cases of the checks of routing (WR1..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.cases.components import MANY, SECOND_OF_MANY
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS, changed

ROUTING = "variants[0].routing_config"
STRATEGY = f"{ROUTING}.routing_strategy"
SETTINGS = f"{ROUTING}.prefix_aware_routing_config"
SCALING = {"variant_name": "main", "max_capacity": 8}
MANAGED = "variants[0].managed_instance_scaling"
ASYNC = {"output_config": {"s3_output_path": "s3://a/answers/"}}
KV_AWARE = {"routing_strategy": "KV_AWARE"}
LEAST_OUTSTANDING = {"routing_strategy": "LEAST_OUTSTANDING_REQUESTS"}
MULTI_MODEL = {"primary_container": {"image": "registry/app:1", "mode": "MultiModel"}}
ON_ONE_OF_TWO = {
    "variants[1]": {**COMPONENTS["variants"][0], "name": "second", "routing_config": LEAST_OUTSTANDING},
    "inference_components[0].specification.scheduling_config": {"placement_strategy": "BINPACK"},
}

CASES = [
    error("WR101", SETTINGS, ONE_MODEL, {SETTINGS: DROP}, {ROUTING: KV_AWARE}),
    error("WR102", SETTINGS, ONE_MODEL, {STRATEGY: "KV_AWARE"}, {ROUTING: KV_AWARE}),
    error("WR102", SETTINGS, ONE_MODEL, {STRATEGY: "RANDOM"}, {ROUTING: {"routing_strategy": "RANDOM"}}),
    warning(
        "WR103",
        "variants[0].initial_instance_count",
        ONE_MODEL,
        {"variants[0].initial_instance_count": 1},
        {"variants[0].initial_instance_count": 2},
    ),
    warning(
        "WR103",
        "variants[0]",
        ONE_MODEL,
        {"auto_scaling": [{**SCALING, "min_capacity": 1}]},
        {"auto_scaling": [{**SCALING, "min_capacity": 2}]},
    ),
    warning(
        "WR103",
        f"{MANAGED}.min_instance_count",
        COMPONENTS,
        {MANAGED: {"min_instance_count": 1, "max_instance_count": 4}},
        {MANAGED: {"min_instance_count": 1, "max_instance_count": 4, "status": "DISABLED"}},
    ),
    warning("WR104", STRATEGY, ONE_MODEL, {"async_inference_config": ASYNC}, {}),
    warning(
        "WR104",
        STRATEGY,
        ONE_MODEL,
        {"async_inference_config": ASYNC, ROUTING: KV_AWARE},
        {"async_inference_config": ASYNC, ROUTING: LEAST_OUTSTANDING},
    ),
    warning(
        "WR105",
        STRATEGY,
        ONE_MODEL,
        {"model.vllm.enable_prefix_caching": False},
        {"model.vllm.enable_prefix_caching": True},
    ),
    warning(
        "WR105",
        STRATEGY,
        COMPONENTS,
        {"model.environment": {"SM_VLLM_NO_ENABLE_PREFIX_CACHING": ""}},
        {"model.environment": {"SM_VLLM_ENABLE_PREFIX_CACHING": ""}},
    ),
    warning(
        "WR106",
        f"{SETTINGS}.concurrency_threshold",
        ONE_MODEL,
        {"model.vllm.max_num_seqs": 15},
        {"model.vllm.max_num_seqs": 16},
    ),
    warning(
        "WR106",
        f"{SETTINGS}.concurrency_threshold",
        ONE_MODEL,
        {"model": {"primary_container": {"image": "registry/app:1", "environment": {"SM_VLLM_MAX_NUM_SEQS": "15"}}}},
        {"model": {"primary_container": {"image": "registry/app:1", "environment": {"SM_VLLM_MAX_NUM_SEQS": "16"}}}},
    ),
    warning("WR107", STRATEGY, ONE_MODEL, {"model": MULTI_MODEL}, {"model": MULTI_MODEL, ROUTING: LEAST_OUTSTANDING}),
    warning(
        "WR108",
        "inference_components[0].specification.scheduling_config.placement_strategy",
        COMPONENTS,
        {"inference_components[0].specification.scheduling_config": {"placement_strategy": "BINPACK"}},
        {"inference_components[0].specification.scheduling_config": {"placement_strategy": "SPREAD"}},
    ),
    warning(
        "WR108",
        "inference_components[0].specification.scheduling_config.placement_strategy",
        COMPONENTS,
        {"inference_components[0].specification.scheduling_config": {"placement_strategy": "BINPACK"}},
        {
            "inference_components[0].specification.scheduling_config": {"placement_strategy": "BINPACK"},
            ROUTING: LEAST_OUTSTANDING,
        },
    ),
    warning(
        "WR108",
        "inference_components[0].specification.scheduling_config.placement_strategy",
        changed(COMPONENTS, ON_ONE_OF_TWO),
        {"inference_components[0].variant_name": "main"},
        {"inference_components[0].variant_name": "second"},
    ),
    warning(
        "WR108",
        f"{SECOND_OF_MANY}.scheduling_config.placement_strategy",
        changed(COMPONENTS, MANY),
        {f"{SECOND_OF_MANY}.scheduling_config": {"placement_strategy": "BINPACK"}},
        {f"{SECOND_OF_MANY}.scheduling_config": {"placement_strategy": "SPREAD"}},
    ),
    error(
        "WR205",
        "variants[0].routing_config",
        SERVERLESS,
        {ROUTING: {"routing_strategy": "RANDOM"}},
        {},
    ),
]
