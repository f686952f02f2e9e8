"""What canonical JSON costs a client, against ``orjson.dumps`` of the same request."""

import random
import timeit

import orjson

from benchmarks.report import line
from warmroute.prefix import canonical_json

TEXT = "the instance that holds the cache answers first, and “quotes” or\nnew lines are as common as in prose"


def run() -> None:
    """A chat of 61 messages in 32 KB, and one of 8 messages in 256 KB."""
    for messages, kilobytes, goal in ((61, 32, 2.0), (8, 256, 1.3)):
        request = _chat(messages, kilobytes * 1024)
        ours, theirs = _best(lambda: canonical_json(request)), _best(lambda: orjson.dumps(request))  # noqa: B023
        line(f"canonical_json / orjson.dumps, {kilobytes} KB", ours, theirs, goal)


def _chat(messages: int, size: int) -> dict[str, object]:
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


def _best(function: object) -> float:
    return min(timeit.repeat(function, number=200, repeat=9)) / 200  # type: ignore[arg-type]
