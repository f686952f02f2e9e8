"""A Strands agent on an endpoint, whose turns meet one warm cache."""

from __future__ import annotations

import asyncio
import os

from strands import Agent
from strands.models.openai import OpenAIModel

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
        model = OpenAIModel(client, model_id="", params={"temperature": 0.2})
        agent = Agent(model, system_prompt=HANDBOOK, callback_handler=None)
        for question in QUESTIONS:
            result = await agent.invoke_async(question)
            usage = result.metrics.latest_agent_invocation.usage
            print(f"Question: {question}\nAnswer: {result}")
            print(f"Tokens: {usage['inputTokens']} in the prompt, {usage['cacheReadInputTokens']} of them cached\n")


if __name__ == "__main__":
    asyncio.run(main())
