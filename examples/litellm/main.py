"""LiteLLM on an endpoint, by the client that it is given."""

from __future__ import annotations

import os

import litellm

from warmroute.client import openai

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every request has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60
QUESTIONS = ("When does my parcel arrive?", "Can I send it back?")


def main() -> None:
    """Ask two questions about one handbook."""
    # The client finds the address itself, in AWS_ENDPOINT_URL or among AWS's own, and makes a bearer token per request.
    with openai.client(ENDPOINT_NAME, region=REGION, prompt_cache_key="support-handbook") as client:
        for question in QUESTIONS:
            answer = litellm.completion(
                model="openai/",  # OpenAI's API; without a name, the model that the container serves.
                messages=[{"role": "system", "content": HANDBOOK}, {"role": "user", "content": question}],
                max_tokens=16,
                client=client,
            )
            cached = answer.usage.prompt_tokens_details.cached_tokens
            print(f"Question: {question}\nAnswer: {answer.choices[0].message.content}")
            print(f"Tokens: {answer.usage.prompt_tokens} in the prompt, {cached} of them cached\n")


if __name__ == "__main__":
    main()
