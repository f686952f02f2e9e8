"""Chat requests that the benchmarks of clients send, and the time that sending them takes."""

import random
import time
from collections.abc import Callable
from typing import Any

TEXT = "the instance that holds the cache answers first, and “quotes” or\nnew lines are as common as in prose"
RUNS, CALLS = 7, 20


def chat(messages: int, kilobytes: int, *, tools: int = 0) -> dict[str, Any]:
    """A chat of so many messages that share so much text, beside tools of 3 KB each."""
    rng = random.Random(1)
    words = TEXT.split(" ")
    size = (kilobytes - 3 * tools) * 1024 // messages
    text = [" ".join(rng.choices(words, k=size // 6))[:size] for _ in range(messages)]
    roles = ["system", *(("user", "assistant")[position % 2] for position in range(messages - 1))]
    request: dict[str, Any] = {
        "model": "llama",
        "messages": [{"role": role, "content": content} for role, content in zip(roles, text, strict=True)],
        "temperature": 0.2,
        "max_tokens": 256,
    }
    if tools:
        request["tools"] = [_tool(number) for number in range(tools)]
    return request


def seconds_each(*functions: Callable[[], object]) -> list[float]:
    """CPU seconds of one call of each function: the best of several runs, taken in turn."""
    best = [float("inf")] * len(functions)
    for _ in range(RUNS):
        for position, function in enumerate(functions):
            start = time.process_time()
            for _ in range(CALLS):
                function()
            best[position] = min(best[position], (time.process_time() - start) / CALLS)
    return best


def _tool(number: int) -> dict[str, Any]:
    properties = {
        f"field_{position}": {"type": "string", "description": TEXT, "minLength": 1} for position in range(16)
    }
    parameters = {"type": "object", "properties": properties, "required": ["field_0"]}
    function = {"name": f"tool_{number}", "description": TEXT * 4, "parameters": parameters}
    return {"type": "function", "function": function}
