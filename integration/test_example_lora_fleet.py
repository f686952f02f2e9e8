"""Adapters of one model: each has a home and a cache of its own, and a new one takes nothing from the others."""

from __future__ import annotations

import re
from collections import defaultdict

import boto3
from example_runs import EXAMPLES, run_example

from warmroute import load_spec
from warmroute.client.chat import SageMakerChat
from warmroute.local.testing import MakeEndpoint

pytest_plugins = ["warmroute.local.testing"]

SPEC = load_spec(EXAMPLES / "lora_fleet/endpoint.yaml")
LEGAL = SPEC.inference_components[-2]


def test_each_adapter_has_one_home_and_a_new_one_leaves_the_others_warm(local_endpoint: MakeEndpoint) -> None:
    endpoint = local_endpoint(SPEC)
    first = _told(run_example("lora_fleet", endpoint.environment))

    homes = {(request.key, request.instance) for request in endpoint.requests}
    assert len(homes) == len({key for key, _ in homes}) == 2
    assert first.keys() == {"legal-adapter", "medical-adapter"}
    assert all(cached[0] == 0 and min(cached[1:]) > 0.9 for cached in first.values())

    tax = LEGAL.model_copy(update={"name": "tax-adapter"})
    local_endpoint(SPEC.model_copy(update={"inference_components": (*SPEC.inference_components, tax)}))
    second = _told(run_example("lora_fleet", endpoint.environment))

    assert second["tax-adapter"][0] == 0
    assert min(second["tax-adapter"][1:]) > 0.9
    assert all(min(second[adapter]) > 0.9 for adapter in first)


def test_without_an_id_adapters_share_a_home_and_no_cache(local_endpoint: MakeEndpoint) -> None:
    """Why the program gives the adapter's name as id."""
    endpoint = local_endpoint(SPEC)
    runtime = boto3.client("sagemaker-runtime")
    request = {"messages": [{"role": "user", "content": "The handbook. " * 500}], "max_tokens": 1}

    usages = [
        SageMakerChat(runtime, endpoint.name, inference_component=adapter).complete(request).usage
        for adapter in ("legal-adapter", "medical-adapter")
    ]

    assert len({(request.key, request.instance) for request in endpoint.requests}) == 1
    assert [usage and usage.cached_tokens for usage in usages] == [0, 0]


def _told(said: str) -> dict[str, list[float]]:
    """Cached shares of each adapter's prompts, in order."""
    found = defaultdict(list)
    told = re.findall(r"^  ([\w-]+): \S.*\n +(\d+) in the prompt, (\d+) of them cached$", said, re.MULTILINE)
    for adapter, prompt, cached in told:
        found[adapter].append(int(cached) / int(prompt))
    return found
