"""LangChain's SageMaker chat model over a prepared boto3 client."""

from __future__ import annotations

import json
import os
from typing import Any

import boto3
from langchain_aws.chat_models.sagemaker_endpoint import ChatModelContentHandler, ChatSagemakerEndpoint
from langchain_core.messages import AIMessage

from warmroute.client import sagemaker

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every request has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60
QUESTIONS = ("When does my parcel arrive?", "Can I send it back?")


class ChatCompletions(ChatModelContentHandler):
    """OpenAI's chat completions, which vLLM serves; the prepared client puts the fields in their order."""

    content_type = "application/json"
    accepts = "application/json"

    def transform_input(self, prompt: Any, model_kwargs: dict[str, Any]) -> bytes:
        return json.dumps({**model_kwargs, "messages": prompt}).encode()

    def transform_output(self, output: Any) -> AIMessage:
        answer = json.load(output)
        usage = answer["usage"]
        return AIMessage(
            answer["choices"][0]["message"]["content"],
            usage_metadata={
                "input_tokens": usage["prompt_tokens"],
                "output_tokens": usage["completion_tokens"],
                "total_tokens": usage["total_tokens"],
                "input_token_details": {"cache_read": usage["prompt_tokens_details"]["cached_tokens"]},
            },
        )


def main() -> None:
    """Ask two questions, each at another temperature."""
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    runtime = boto3.client("sagemaker-runtime", region_name=REGION)
    sagemaker.install(runtime, prefix_aware_id="support-handbook")
    model = ChatSagemakerEndpoint(endpoint_name=ENDPOINT_NAME, client=runtime, content_handler=ChatCompletions())
    for temperature, question in enumerate(QUESTIONS):
        answer = model.invoke([("system", HANDBOOK), ("human", question)], temperature=temperature, max_tokens=16)
        usage = answer.usage_metadata
        cached = usage["input_token_details"]["cache_read"]
        print(f"Question: {question}\nAnswer: {answer.content}")
        print(f"Tokens: {usage['input_tokens']} in the prompt, {cached} of them cached\n")


if __name__ == "__main__":
    main()
