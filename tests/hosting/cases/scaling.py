"""Cases of the checks of scaling (WR5..)."""

from __future__ import annotations

from hosting.cases.case import error, warning
from hosting.specs import COMPONENTS, ONE_MODEL, SERVERLESS

MANAGED = "variants[0].managed_instance_scaling"
INITIAL = "variants[0].initial_instance_count"
VARIANT = {"variant_name": "main", "min_capacity": 2, "max_capacity": 8}
COMPONENT = {"inference_component_name": "base", "min_capacity": 1, "max_capacity": 8}
PER_COPY = "SageMakerInferenceComponentInvocationsPerCopy"
UTILISATION = "SageMakerVariantProvisionedConcurrencyUtilization"
PER_INSTANCE = "SageMakerVariantInvocationsPerInstance"


def tracking(metric):
    return {"target_value": 10, "predefined_metric_type": metric}


CASES = [
    error(
        "WR501",
        f"{MANAGED}.min_instance_count",
        COMPONENTS,
        {MANAGED: {"min_instance_count": 3, "max_instance_count": 2}},
        {MANAGED: {"min_instance_count": 2, "max_instance_count": 2}},
    ),
    error(
        "WR502",
        INITIAL,
        COMPONENTS,
        {MANAGED: {"min_instance_count": 3}},
        {MANAGED: {"min_instance_count": 2}},
    ),
    error("WR502", INITIAL, COMPONENTS, {MANAGED: {"max_instance_count": 1}}, {MANAGED: {"max_instance_count": 2}}),
    warning(
        "WR503",
        f"{MANAGED}.min_instance_count",
        ONE_MODEL,
        {MANAGED: {"min_instance_count": 0}, "variants[0].routing_config": {"routing_strategy": "RANDOM"}},
        {MANAGED: {"min_instance_count": 1}, "variants[0].routing_config": {"routing_strategy": "RANDOM"}},
    ),
    error(
        "WR504",
        "auto_scaling[0]",
        ONE_MODEL,
        {"auto_scaling": [{"min_capacity": 2, "max_capacity": 8}]},
        {"auto_scaling": [VARIANT]},
    ),
    error(
        "WR504",
        "auto_scaling[0]",
        COMPONENTS,
        {"auto_scaling": [{**VARIANT, "inference_component_name": "base"}]},
        {"auto_scaling": [COMPONENT]},
    ),
    error(
        "WR505",
        "auto_scaling[0].min_capacity",
        ONE_MODEL,
        {"auto_scaling": [{**VARIANT, "min_capacity": 9}]},
        {"auto_scaling": [{**VARIANT, "min_capacity": 8}], INITIAL: 8},
    ),
    error(
        "WR506",
        "auto_scaling[0].min_capacity",
        ONE_MODEL,
        {"auto_scaling": [{**VARIANT, "min_capacity": 0}]},
        {"auto_scaling": [VARIANT]},
    ),
    error(
        "WR507",
        "auto_scaling[0].target_tracking.predefined_metric_type",
        ONE_MODEL,
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(PER_COPY)}]},
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(PER_INSTANCE)}]},
    ),
    error(
        "WR507",
        "auto_scaling[0].target_tracking.predefined_metric_type",
        COMPONENTS,
        {"auto_scaling": [{**COMPONENT, "target_tracking": tracking(PER_INSTANCE)}]},
        {"auto_scaling": [{**COMPONENT, "target_tracking": tracking(PER_COPY)}]},
    ),
    error(
        "WR508",
        "auto_scaling[0].variant_name",
        ONE_MODEL,
        {"auto_scaling": [{**VARIANT, "variant_name": "man"}]},
        {"auto_scaling": [VARIANT]},
    ),
    error(
        "WR508",
        "auto_scaling[0].inference_component_name",
        COMPONENTS,
        {"auto_scaling": [{**COMPONENT, "inference_component_name": "adapter"}]},
        {"auto_scaling": [COMPONENT]},
    ),
    error(
        "WR508",
        "auto_scaling[0].inference_component_name",
        ONE_MODEL,
        {"auto_scaling": [COMPONENT]},
        {},
    ),
    error(
        "WR508",
        "auto_scaling[1].variant_name",
        ONE_MODEL,
        {"auto_scaling": [VARIANT, VARIANT]},
        {
            "auto_scaling": [VARIANT, {**VARIANT, "variant_name": "second"}],
            "variants[1]": {**ONE_MODEL["variants"][0], "name": "second"},
        },
    ),
    warning(
        "WR509", INITIAL, ONE_MODEL, {"auto_scaling": [VARIANT], INITIAL: 9}, {"auto_scaling": [VARIANT], INITIAL: 8}
    ),
    warning(
        "WR509", INITIAL, ONE_MODEL, {"auto_scaling": [VARIANT], INITIAL: 1}, {"auto_scaling": [VARIANT], INITIAL: 2}
    ),
    error(
        "WR510",
        MANAGED,
        ONE_MODEL,
        {"auto_scaling": [VARIANT], MANAGED: {"status": "ENABLED", "max_instance_count": 8}},
        {"auto_scaling": [VARIANT], MANAGED: {"status": "DISABLED", "max_instance_count": 8}},
    ),
    warning(
        "WR511",
        "auto_scaling[0].min_capacity",
        COMPONENTS,
        {"auto_scaling": [{**COMPONENT, "min_capacity": 0}]},
        {"auto_scaling": [COMPONENT]},
    ),
    warning(
        "WR512",
        "retain_all_variant_properties",
        ONE_MODEL,
        {"auto_scaling": [VARIANT], "retain_all_variant_properties": False},
        {"auto_scaling": [VARIANT], "retain_all_variant_properties": True},
    ),
    error(
        "WR513",
        "auto_scaling[0].target_tracking.predefined_metric_type",
        SERVERLESS,
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(PER_INSTANCE)}]},
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(UTILISATION)}]},
    ),
    error(
        "WR513",
        "auto_scaling[0].target_tracking.predefined_metric_type",
        ONE_MODEL,
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(UTILISATION)}]},
        {"auto_scaling": [{**VARIANT, "target_tracking": tracking(PER_INSTANCE)}]},
    ),
]
