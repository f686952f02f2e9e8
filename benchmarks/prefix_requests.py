"""The requests that the benchmarks of ``warmroute.prefix`` share: prose with escapes and characters beyond ASCII."""

import random

TEXT = "the instance that holds the cache answers first, and “quotes” or\nnew lines are as common as in prose"


def chat(messages: int, size: int) -> dict[str, object]:
    """A chat of texts.

    Args:
        messages: How many.
        size: Length of all their texts, in characters.
    """
    rng = random.Random(1)
    share = size // messages
    roles = ["system", *(("user", "assistant")[position % 2] for position in range(messages - 1))]
    return {
        "model": "llama",
        "messages": [{"role": role, "content": _text(rng, share)} for role in roles],
        "temperature": 0.2,
        "max_tokens": 256,
        "stream": True,
    }


def _text(rng: random.Random, size: int) -> str:
    words, text = TEXT.split(" "), ""
    while len(text) < size:
        text += rng.choice(words) + " "
    return text[:size]
