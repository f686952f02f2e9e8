"""Every LoRA adapter of an endpoint answers about one handbook, each from its own warm copy of the model."""

from __future__ import annotations

import os
from typing import Any

import boto3

from warmroute.client.chat import SageMakerChat

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "desk")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every question to an adapter has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60
QUESTIONS = ("When does my parcel arrive?", "Can I send it back?", "Who pays for that?")


def main() -> None:
    """Ask every adapter every question."""
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    runtime = boto3.client("sagemaker-runtime", region_name=REGION)
    # What an adapter computes is cached for that adapter alone, so the same handbook has a home for each: the adapter's
    # name as id makes them different keys, and the adapters' work goes to different copies.
    desks = {
        adapter: SageMakerChat(runtime, ENDPOINT_NAME, inference_component=adapter, prefix_aware_id=adapter)
        for adapter in adapters(boto3.client("sagemaker", region_name=REGION))
    }
    for question in QUESTIONS:
        print(f"Question: {question}")
        for adapter, chat in desks.items():
            messages = [{"role": "system", "content": HANDBOOK}, {"role": "user", "content": question}]
            reply = chat.complete({"messages": messages, "max_tokens": 16})
            print(f"  {adapter}: {reply.text}")
            if reply.usage is not None:
                print(f"    {reply.usage.prompt_tokens} in the prompt, {reply.usage.cached_tokens} of them cached")


def adapters(sagemaker: Any) -> list[str]:
    """The adapters that the endpoint serves now; new ones need no change here."""
    pages = sagemaker.get_paginator("list_inference_components").paginate(
        EndpointNameEquals=ENDPOINT_NAME, StatusEquals="InService"
    )
    names = [each["InferenceComponentName"] for page in pages for each in page["InferenceComponents"]]
    components = {name: sagemaker.describe_inference_component(InferenceComponentName=name) for name in names}
    return sorted(name for name, each in components.items() if "BaseInferenceComponentName" in each["Specification"])


if __name__ == "__main__":
    main()
