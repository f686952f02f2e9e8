"""Cases of the checks of inference components (WR4..)."""

from __future__ import annotations

from hosting.cases.case import error
from hosting.specs import COMPONENTS, DROP, ONE_MODEL, ROLE

BASE = "inference_components[0]"
ADAPTER = "inference_components[1]"
NEEDS = {"number_of_accelerator_devices_required": 4, "min_memory_required_in_mb": 1_024}
FOR_P5 = {"instance_type": "ml.p5.48xlarge", "compute_resource_requirements": NEEDS}
FOR_P4 = {"instance_type": "ml.p4d.24xlarge", "compute_resource_requirements": {**NEEDS}}
MANY = {f"{BASE}.specification": DROP, f"{BASE}.specifications": [FOR_P5, FOR_P4]}
SECOND_OF_MANY = f"{BASE}.specifications[1]"
ADAPTED = {
    f"{ADAPTER}.specification": DROP,
    f"{ADAPTER}.specifications": [
        {**COMPONENTS["inference_components"][1]["specification"], "instance_type": name}
        for name in ("ml.p5.48xlarge", "ml.p4d.24xlarge")
    ],
}
SECOND = {**COMPONENTS["variants"][0], "name": "second"}
TWO_VARIANTS = {
    "variants[1]": SECOND,
    f"{BASE}.variant_name": "main",
}
MIG = {
    "variants[0].accelerator_partition_layouts": [{"accelerator_partition_types": ["mig-3g.40gb", "mig-4g.40gb"]}],
    f"{BASE}.specification.compute_resource_requirements": {
        "number_of_accelerator_devices_required": 1,
        "min_memory_required_in_mb": 1_024,
        "accelerator_partition_type": "mig-3g.40gb",
    },
}
PARTITION = f"{BASE}.specification.compute_resource_requirements.accelerator_partition_type"
DEVICES = f"{BASE}.specification.compute_resource_requirements.number_of_accelerator_devices_required"

CASES = [
    error(
        "WR401",
        "execution_role_arn",
        ONE_MODEL,
        {"model": DROP, "execution_role_arn": DROP},
        {"model": DROP, "execution_role_arn": ROLE},
    ),
    error(
        "WR401",
        "execution_role_arn",
        COMPONENTS,
        {"model": DROP, "inference_components": DROP, "execution_role_arn": DROP},
        {"execution_role_arn": DROP},
    ),
    error(
        "WR402",
        "inference_components",
        COMPONENTS,
        {f"{ADAPTER}": {**COMPONENTS["inference_components"][0]}},
        {f"{ADAPTER}": {**COMPONENTS["inference_components"][0], "name": "base2"}},
    ),
    error("WR403", BASE, COMPONENTS, {f"{BASE}.specifications": [FOR_P5]}, MANY),
    error("WR403", ADAPTER, COMPONENTS, {f"{ADAPTER}.specification": DROP}, {}),
    error(
        "WR404", f"{BASE}.specifications", COMPONENTS, {**MANY, f"{BASE}.specifications[1].instance_type": DROP}, MANY
    ),
    error(
        "WR404",
        f"{BASE}.specifications",
        COMPONENTS,
        {**MANY, f"{BASE}.specifications": [{"compute_resource_requirements": NEEDS}] * 2},
        {**MANY, f"{BASE}.specifications": [{"compute_resource_requirements": NEEDS}]},
    ),
    error(
        "WR404",
        f"{BASE}.specifications",
        COMPONENTS,
        {**MANY, f"{BASE}.specifications[1].instance_type": "ml.p5.48xlarge"},
        {**MANY, f"{BASE}.specifications[1].instance_type": "ml.p5e.48xlarge"},
    ),
    error(
        "WR405",
        f"{ADAPTER}.specification.container.artifact_url",
        COMPONENTS,
        {f"{ADAPTER}.specification.container": {}},
        {},
    ),
    error(
        "WR405",
        f"{ADAPTER}.specification.model_name",
        COMPONENTS,
        {f"{ADAPTER}.specification.model_name": "llama"},
        {f"{BASE}.specification.model_name": "llama"},
    ),
    error(
        "WR405",
        f"{ADAPTER}.specification.compute_resource_requirements",
        COMPONENTS,
        {f"{ADAPTER}.specification.compute_resource_requirements": NEEDS},
        {},
    ),
    error(
        "WR406",
        f"{ADAPTER}.specification.base_inference_component_name",
        COMPONENTS,
        {f"{ADAPTER}.specification.base_inference_component_name": "bass"},
        {f"{ADAPTER}.specification.base_inference_component_name": "base"},
    ),
    error(
        "WR406",
        f"{ADAPTER}.specification.base_inference_component_name",
        COMPONENTS,
        {f"{ADAPTER}.specification.base_inference_component_name": "adapter"},
        {},
    ),
    error(
        "WR407",
        f"{BASE}.specification.compute_resource_requirements",
        COMPONENTS,
        {f"{BASE}.specification": {"model_name": "llama"}},
        {},
    ),
    error(
        "WR407",
        f"{BASE}.specification",
        COMPONENTS,
        {"model": DROP},
        {"model": DROP, f"{BASE}.specification.model_name": "llama"},
    ),
    error(
        "WR407",
        f"{BASE}.specification",
        COMPONENTS,
        {f"{BASE}.specification.model_name": "llama", f"{BASE}.specification.container": {"image": "registry/app:1"}},
        {f"{BASE}.specification.container": {"image": "registry/app:1"}},
    ),
    error(
        "WR405",
        f"{ADAPTER}.specifications[1].model_name",
        COMPONENTS,
        {**ADAPTED, f"{ADAPTER}.specifications[1].model_name": "llama"},
        ADAPTED,
    ),
    error(
        "WR406",
        f"{ADAPTER}.specifications[1].base_inference_component_name",
        COMPONENTS,
        {**ADAPTED, f"{ADAPTER}.specifications[1].base_inference_component_name": "bass"},
        ADAPTED,
    ),
    error(
        "WR407",
        f"{SECOND_OF_MANY}.compute_resource_requirements",
        COMPONENTS,
        {**MANY, f"{SECOND_OF_MANY}.compute_resource_requirements": DROP},
        MANY,
    ),
    error(
        "WR411",
        f"{SECOND_OF_MANY}.compute_resource_requirements.accelerator_partition_type",
        COMPONENTS,
        {**MANY, f"{SECOND_OF_MANY}.compute_resource_requirements.accelerator_partition_type": "mig-3g.40gb"},
        MANY,
    ),
    error(
        "WR408", f"{BASE}.variant_name", COMPONENTS, {f"{BASE}.variant_name": "man"}, {f"{BASE}.variant_name": "main"}
    ),
    error("WR408", f"{BASE}.variant_name", COMPONENTS, {"variants[1]": SECOND}, TWO_VARIANTS),
    error(
        "WR409",
        f"{BASE}.specification.compute_resource_requirements.max_memory_required_in_mb",
        COMPONENTS,
        {f"{BASE}.specification.compute_resource_requirements.max_memory_required_in_mb": 1_023},
        {f"{BASE}.specification.compute_resource_requirements.max_memory_required_in_mb": 1_024},
    ),
    error(
        "WR410",
        "variants[0].accelerator_partition_layouts",
        COMPONENTS,
        {**MIG, "variants[0].accelerator_partition_layouts[1]": {"accelerator_partition_types": ["mig-7g.80gb"]}},
        MIG,
    ),
    error("WR411", PARTITION, COMPONENTS, {**MIG, PARTITION: "mig-1g.10gb"}, {**MIG, PARTITION: "mig-4g.40gb"}),
    error("WR411", PARTITION, COMPONENTS, {**MIG, PARTITION: DROP}, MIG),
    error("WR411", PARTITION, COMPONENTS, {PARTITION: "mig-3g.40gb"}, {}),
    error("WR411", DEVICES, COMPONENTS, {**MIG, DEVICES: 2}, MIG),
]
