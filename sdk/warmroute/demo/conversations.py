"""A small set of conversations: many readers of few handbooks, as a support bot sees them."""

from __future__ import annotations

import random

from warmroute.prefix import canonical_json
from warmroute.traffic import TrafficRequest
from warmroute.traffic.sample.sentences import sentence

CONVERSATIONS_PER_HANDBOOK = 3
TURNS = 2
REQUESTS_PER_HANDBOOK = CONVERSATIONS_PER_HANDBOOK * TURNS
HANDBOOK_CHARACTERS = 32_000
"""Length of a shared beginning: about 8,000 tokens, as in AWS's long-context benchmark."""


def generated_requests(
    count: int = 144, *, handbook_characters: int = HANDBOOK_CHARACTERS, seed: int = 7
) -> list[TrafficRequest]:
    """Requests of many conversations, interleaved; the turns of one conversation stay in order.

    Args:
        count: How many; every six share a handbook.
        handbook_characters: Length of a shared beginning.
        seed: The same count, length and seed give the same requests, byte for byte.
    """
    rng = random.Random(seed)  # noqa: S311 - text, not secrets.
    conversations = [
        _conversation(rng, handbook, f"{number}/{reader}")
        for number in range(-(-count // REQUESTS_PER_HANDBOOK))
        for handbook in [_handbook(rng, number, handbook_characters)]
        for reader in range(CONVERSATIONS_PER_HANDBOOK)
    ]
    order = [position for position in range(len(conversations)) for _ in range(TURNS)]
    rng.shuffle(order)
    turns = [iter(conversation) for conversation in conversations]
    return [next(turns[position]) for position in order][:count]


def _conversation(rng: random.Random, handbook: str, session: str) -> list[TrafficRequest]:
    messages = [{"role": "system", "content": handbook}]
    requests = []
    for turn in range(TURNS):
        messages = [*messages, {"role": "user", "content": f"{sentence(rng)} Why? {sentence(rng)}"}]
        answer = " ".join(sentence(rng) for _ in range(2))
        requests.append(
            TrafficRequest(
                source="generated",
                line=turn + 1,
                session=session,
                turn=turn,
                body=canonical_json({"messages": messages}),
                output_characters=len(answer),
            )
        )
        messages = [*messages, {"role": "assistant", "content": answer}]
    return requests


def _handbook(rng: random.Random, number: int, characters: int) -> str:
    parts = [f"You answer questions about product line {number:02d}. Use only this handbook."]
    length = len(parts[0])
    while length < characters:
        parts.append(sentence(rng))
        length += len(parts[-1]) + 1
    return " ".join(parts)
