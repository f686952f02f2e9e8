"""A conversation over boto3, whose turns meet one warm cache."""

from __future__ import annotations

import os
from typing import Any

import boto3

from warmroute.client.chat import SageMakerChat

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every turn has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60
QUESTIONS = ("When does my parcel arrive?", "Can I send it back?", "Who pays for that?")


def main() -> None:
    """Ask three questions; every turn sends the conversation so far."""
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    runtime = boto3.client("sagemaker-runtime", region_name=REGION)
    chat = SageMakerChat(runtime, ENDPOINT_NAME, prefix_aware_id="support-handbook")
    messages: list[dict[str, Any]] = [{"role": "system", "content": HANDBOOK}]
    for question in QUESTIONS:
        messages.append({"role": "user", "content": question})
        reply = chat.complete({"messages": messages, "max_tokens": 16, "temperature": 0.2})
        messages.append({"role": "assistant", "content": reply.text})
        print(f"Question: {question}\nAnswer: {reply.text}")
        if reply.usage is not None:
            print(f"Tokens: {reply.usage.prompt_tokens} in the prompt, {reply.usage.cached_tokens} of them cached\n")


if __name__ == "__main__":
    main()
