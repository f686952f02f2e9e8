"""Conversations side by side, each of which stays on one instance from its first turn on."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass, field
from typing import Any

import boto3

from warmroute.client.chat import SageMakerChat
from warmroute.prefix import canonical_json, routing_key

ENDPOINT_NAME = os.environ.get("ENDPOINT_NAME", "support-chat")
REGION = os.environ.get("AWS_REGION", "us-east-1")

# Longer than the endpoint's prefix_length of 1,024, so that no later turn changes what is compared.
INSTRUCTIONS = "Answer for a parcel service: briefly, politely, and only from what the customer has told you. " * 14
QUESTIONS = ("Where is my parcel?", "I ordered it on Monday.", "Can I send it back?", "Who pays for that?")


@dataclass
class Conversation:
    """One customer's conversation."""

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    """Says nothing of the customer, so that it may travel as PrefixAwareId as it is."""

    messages: list[dict[str, Any]] = field(default_factory=lambda: [{"role": "system", "content": INSTRUCTIONS}])
    bodies: list[bytes] = field(default_factory=list)
    """What was sent, to compare keys afterwards; an application needs none of it."""

    def ask(self, chat: SageMakerChat, question: str) -> str:
        """The answer to the next question, and how much of the conversation was cached."""
        self.messages.append({"role": "user", "content": question})
        request = {"messages": self.messages, "max_tokens": 32, "temperature": 0.2}
        self.bodies.append(canonical_json(request))
        reply = chat.complete(request, prefix_aware_id=self.id)
        # To the letter as it came: a trimmed answer would end the cached part here.
        self.messages.append({"role": "assistant", "content": reply.text})
        if reply.usage is None:
            return "no usage"
        return f"{reply.usage.prompt_tokens} in the prompt, {reply.usage.cached_tokens} of them cached"


def main() -> None:
    """Hold three conversations at once, and count the routing keys that they have."""
    # boto3 finds the address itself, in AWS_ENDPOINT_URL or among AWS's own.
    chat = SageMakerChat(boto3.client("sagemaker-runtime", region_name=REGION), ENDPOINT_NAME)
    conversations = [Conversation() for _ in range(3)]
    for turn, question in enumerate(QUESTIONS, start=1):
        for number, conversation in enumerate(conversations, start=1):
            print(f"Turn {turn} of conversation {number}: {conversation.ask(chat, question)}")

    print(f"\nRouting keys of these {len(conversations) * len(QUESTIONS)} requests, the longest of which has ", end="")
    print(f"{max(len(body) for conversation in conversations for body in conversation.bodies):,} bytes:")
    print(f"{keys(conversations, 1_024, ids=True):3} with a window of 1,024 bytes and an id for each conversation")
    print(f"{keys(conversations, 1_024, ids=False):3} with the same window and no ids: one instance for everybody")
    print(f"{keys(conversations, 4_096, ids=True):3} with a window of 4,096 bytes and ids: a new key at every turn")


def keys(conversations: list[Conversation], prefix_length: int, *, ids: bool) -> int:
    """How many routing keys the requests have under other settings."""
    return len(
        {
            routing_key(body, api="invoke", prefix_length=prefix_length, prefix_aware_id=each.id if ids else "").digest
            for each in conversations
            for body in each.bodies
        }
    )


if __name__ == "__main__":
    main()
