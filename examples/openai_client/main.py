"""The openai client on an endpoint: a whole answer and a streamed one of the same beginning."""

from __future__ import annotations

import os
from typing import Any

from warmroute.client import openai

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every request has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60


def main() -> None:
    """Ask one question and wait for its answer, then another and print it as it arrives."""
    # The client finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    with openai.client(ENDPOINT_NAME, region=REGION, prompt_cache_key="support-handbook") as client:
        question = "When does my parcel arrive?"
        answer = client.chat.completions.create(model="", messages=_messages(question), max_tokens=16)
        print(f"Question: {question}\nAnswer: {answer.choices[0].message.content}")
        _print_tokens(answer.usage)

        question = "Can I send it back?"
        print(f"Question: {question}\nAnswer: ", end="")
        chunks = client.chat.completions.create(
            model="",
            messages=_messages(question),
            max_tokens=16,
            stream=True,
            stream_options={"include_usage": True},
        )
        for chunk in chunks:
            if chunk.choices:
                print(chunk.choices[0].delta.content or "", end="", flush=True)
            elif chunk.usage:
                print()
                _print_tokens(chunk.usage)


def _messages(question: str) -> list[Any]:
    return [{"role": "system", "content": HANDBOOK}, {"role": "user", "content": question}]


def _print_tokens(usage: Any) -> None:
    cached = usage.prompt_tokens_details.cached_tokens
    print(f"Tokens: {usage.prompt_tokens} in the prompt, {cached} of them cached\n")


if __name__ == "__main__":
    main()
