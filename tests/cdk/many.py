"""Specs with many inference components: what is few enough for one policy, alarm, widget or stack elsewhere."""

from __future__ import annotations

from typing import Any

from warmroute.hosting import EndpointSpec


def with_adapters(count: int, **changes: Any) -> EndpointSpec:
    """A spec with one component and so many adapters, each with an artefact of its own, and no role."""
    component = {
        "name": "llama",
        "specification": {
            "compute_resource_requirements": {
                "number_of_accelerator_devices_required": 1,
                "min_memory_required_in_mb": 1024,
            }
        },
        "runtime_config": {"copy_count": 2},
    }
    adapters = [
        {
            "name": f"adapter-{number}",
            "specification": {
                "base_inference_component_name": "llama",
                "container": {"artifact_url": f"s3://adapters/a-customer/{number}.tar.gz"},
            },
        }
        for number in range(count)
    ]
    values = {
        "name": "many",
        "region": "us-east-1",
        "model": {"source": {"s3_prefix": "s3://models/llama/"}, "vllm": {"enable_lora": True}},
        "variants": [{"name": "main", "instance_type": "ml.g5.xlarge", "initial_instance_count": 2}],
        "inference_components": [component, *adapters],
    }
    return EndpointSpec.parse({**values, **changes})
