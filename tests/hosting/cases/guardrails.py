"""Cases of the checks of deployment guardrails (WR6..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, SERVERLESS, changed

ALARMS = {"alarms": [{"alarm_name": "errors"}]}
SHIFT = "deployment_config.blue_green_update_policy.traffic_routing_configuration"
ROLLING = "deployment_config.rolling_update_policy"
BATCH = f"{ROLLING}.maximum_batch_size"
TIMEOUT = "deployment_config.blue_green_update_policy.maximum_execution_timeout_in_seconds"


def percent(value):
    return {"type": "CAPACITY_PERCENT", "value": value}


def instances(value):
    return {"type": "INSTANCE_COUNT", "value": value}


BLUE_GREEN = changed(
    ONE_MODEL,
    {
        "deployment_config": {"auto_rollback_configuration": ALARMS},
        SHIFT: {"type": "ALL_AT_ONCE", "wait_interval_in_seconds": 300},
    },
)
CANARY = changed(BLUE_GREEN, {f"{SHIFT}.type": "CANARY", f"{SHIFT}.canary_size": percent(25)})
LINEAR = changed(BLUE_GREEN, {f"{SHIFT}.type": "LINEAR", f"{SHIFT}.linear_step_size": percent(25)})
ROLLED = changed(
    ONE_MODEL,
    {
        "deployment_config": {"auto_rollback_configuration": ALARMS},
        ROLLING: {"maximum_batch_size": percent(25), "wait_interval_in_seconds": 60},
    },
)
COPY_ROLLING = "inference_components[0].deployment_config.rolling_update_policy"
ROLLED_COPIES = changed(COMPONENTS, {COPY_ROLLING: {"maximum_batch_size": percent(25), "wait_interval_in_seconds": 60}})

CASES = [
    error(
        "WR601",
        "deployment_config",
        BLUE_GREEN,
        {ROLLING: {"maximum_batch_size": percent(25), "wait_interval_in_seconds": 60}},
        {},
    ),
    error("WR602", f"{SHIFT}.canary_size", BLUE_GREEN, {f"{SHIFT}.canary_size": percent(25)}, {}),
    error("WR602", f"{SHIFT}.canary_size", CANARY, {f"{SHIFT}.canary_size": DROP}, {}),
    error("WR602", f"{SHIFT}.linear_step_size", CANARY, {f"{SHIFT}.linear_step_size": percent(25)}, {}),
    error("WR602", f"{SHIFT}.linear_step_size", LINEAR, {f"{SHIFT}.linear_step_size": DROP}, {}),
    error(
        "WR603",
        f"{SHIFT}.canary_size.value",
        CANARY,
        {f"{SHIFT}.canary_size": percent(51)},
        {f"{SHIFT}.canary_size": percent(50)},
    ),
    error(
        "WR603",
        f"{SHIFT}.linear_step_size.value",
        LINEAR,
        {f"{SHIFT}.linear_step_size": percent(9)},
        {f"{SHIFT}.linear_step_size": percent(10)},
    ),
    error("WR604", f"{BATCH}.value", ROLLED, {BATCH: percent(4)}, {BATCH: percent(5)}),
    error("WR604", f"{BATCH}.value", ROLLED, {BATCH: percent(51)}, {BATCH: percent(50)}),
    error(
        "WR605",
        f"{COPY_ROLLING}.maximum_batch_size.value",
        ROLLED_COPIES,
        {f"{COPY_ROLLING}.maximum_batch_size": percent(51)},
        {f"{COPY_ROLLING}.maximum_batch_size": percent(50)},
    ),
    error(
        "WR606",
        BATCH,
        changed(ROLLED, {"variants[0].routing_config": {"routing_strategy": "RANDOM"}}),
        {"variants[0].initial_instance_count": 1},
        {"variants[0].initial_instance_count": 2},
    ),
    error("WR606", f"{BATCH}.value", ROLLED, {BATCH: instances(3)}, {BATCH: instances(2)}),
    error(
        "WR606",
        f"{BATCH}.value",
        changed(ROLLED, {"variants[0].initial_instance_count": 60}),
        {BATCH: instances(2)},
        {BATCH: instances(3)},
    ),
    warning(
        "WR607",
        ROLLING,
        ROLLED,
        {"variants[1]": {**ONE_MODEL["variants"][0], "name": "second"}},
        {},
    ),
    warning(
        "WR607",
        ROLLING,
        changed(SERVERLESS, {"deployment_config": {"auto_rollback_configuration": ALARMS}}),
        {ROLLING: {"maximum_batch_size": percent(50), "wait_interval_in_seconds": 60}},
        {},
    ),
    error("WR608", TIMEOUT, CANARY, {TIMEOUT: 600}, {TIMEOUT: 601}),
    error("WR608", TIMEOUT, LINEAR, {TIMEOUT: 1_200}, {TIMEOUT: 1_201}),
    error(
        "WR608",
        TIMEOUT,
        BLUE_GREEN,
        {TIMEOUT: 600, "deployment_config.blue_green_update_policy.termination_wait_in_seconds": 300},
        {TIMEOUT: 600, "deployment_config.blue_green_update_policy.termination_wait_in_seconds": 299},
    ),
    warning(
        "WR609",
        "deployment_config.auto_rollback_configuration",
        changed(BLUE_GREEN, {"deployment_config.auto_rollback_configuration": DROP}),
        {f"{SHIFT}.type": "CANARY", f"{SHIFT}.canary_size": percent(25)},
        {},
    ),
    warning(
        "WR609",
        "deployment_config.auto_rollback_configuration",
        ROLLED,
        {"deployment_config.auto_rollback_configuration": DROP},
        {},
    ),
]
