"""A Pydantic AI agent on an endpoint, whose turns meet one warm cache."""

from __future__ import annotations

import asyncio
import os

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from warmroute.client import openai

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-bot")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length, so that every turn has the same routing key.
HANDBOOK = "Parcels arrive within three days and can be sent back within thirty days of their arrival. " * 60
QUESTIONS = ("When does my parcel arrive?", "Can I send it back?")


async def main() -> None:
    """Ask an agent two questions; the second turn sends the first along."""
    # The client finds the address itself, in AWS_ENDPOINT_URL or among AWS's own, and makes a bearer token per request.
    async with openai.async_client(ENDPOINT_NAME, region=REGION, prompt_cache_key="support-handbook") as client:
        model = OpenAIChatModel("", provider=OpenAICompatibleProvider("sagemaker", openai_client=client))
        agent = Agent(model, instructions=HANDBOOK, model_settings={"temperature": 0.2, "max_tokens": 16})
        conversation = []
        for question in QUESTIONS:
            result = await agent.run(question, message_history=conversation)
            conversation = result.all_messages()
            usage = result.usage
            print(f"Question: {question}\nAnswer: {result.output}")
            print(f"Tokens: {usage.input_tokens} in the prompt, {usage.cache_read_tokens} of them cached\n")


if __name__ == "__main__":
    asyncio.run(main())
