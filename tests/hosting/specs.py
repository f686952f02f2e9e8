"""Specs that have nothing wrong with them, and a way to change one thing of them."""

from __future__ import annotations

import copy
import re
from typing import Any

from warmroute.errors import Finding, InvalidSettingsError
from warmroute.hosting import EndpointSpec, check

ROLE = "arn:aws:iam::123456789012:role/chat"

PREFIX_AWARE = {
    "routing_strategy": "PREFIX_AWARE",
    "prefix_aware_routing_config": {"prefix_length": 4_096, "concurrency_threshold": 16},
}

ONE_MODEL: dict[str, Any] = {
    "name": "chat",
    "region": "us-east-1",
    "execution_role_arn": ROLE,
    "model": {
        "image": {"framework": "vllm", "version": "0.30.0"},
        "source": {"s3_prefix": "s3://models/llama/"},
        "vllm": {"tensor_parallel_size": 8, "max_num_seqs": 64},
    },
    "variants": [
        {
            "name": "main",
            "instance_type": "ml.p5.48xlarge",
            "initial_instance_count": 4,
            "container_startup_health_check_timeout_in_seconds": 1_800,
            "routing_config": PREFIX_AWARE,
        }
    ],
}
"""One vLLM model on four instances, routed by prefix."""

SERVERLESS: dict[str, Any] = {
    "name": "chat",
    "execution_role_arn": ROLE,
    "model": {"primary_container": {"image": "registry/app:1"}},
    "variants": [{"name": "main", "serverless_config": {"memory_size_in_mb": 2_048, "max_concurrency": 20}}],
}
"""A model of any container, without instances."""

COMPONENTS: dict[str, Any] = {
    "name": "chat",
    "region": "us-east-1",
    "execution_role_arn": ROLE,
    "model": {"source": {"s3_prefix": "s3://models/llama/"}, "vllm": {"tensor_parallel_size": 4, "max_num_seqs": 64}},
    "variants": [
        {
            "name": "main",
            "instance_type": "ml.p5.48xlarge",
            "initial_instance_count": 2,
            "routing_config": PREFIX_AWARE,
        }
    ],
    "inference_components": [
        {
            "name": "base",
            "specification": {
                "compute_resource_requirements": {
                    "number_of_accelerator_devices_required": 4,
                    "min_memory_required_in_mb": 1_024,
                }
            },
            "runtime_config": {"copy_count": 4},
        },
        {
            "name": "adapter",
            "specification": {
                "base_inference_component_name": "base",
                "container": {"artifact_url": "s3://adapters/poet.tar.gz"},
            },
        },
    ],
}
"""A base component of four copies and an adapter, on two instances."""

DROP = object()
"""Value of a field that is to be left out."""


def changed(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of the values of a spec with some of them changed.

    Args:
        values: The spec.
        changes: New values by their path, ``variants[0].name``; ``DROP`` leaves a field out, and a position one
            beyond a list's last appends. Missing mappings on the way are made.
    """
    result = copy.deepcopy(values)
    for path, value in changes.items():
        *way, last = [int(part) if part.isdecimal() else part for part in re.findall(r"[^.\[\]]+", path)]
        place: Any = result
        for part in way:
            place = place[part] if isinstance(part, int) else place.setdefault(part, {})
        if value is DROP:
            del place[last]
        elif isinstance(last, int) and last == len(place):
            place.append(copy.deepcopy(value))
        else:
            place[last] = copy.deepcopy(value)
    return result


def findings(values: dict[str, Any]) -> list[Finding]:
    """Everything that is said about the values of a spec: its errors or, without any, its warnings."""
    try:
        return check(EndpointSpec.parse(values))
    except InvalidSettingsError as error:
        return list(error.findings)
