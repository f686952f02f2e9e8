"""Chat requests that the benchmarks of clients send."""

import random
from typing import Any

TEXT = "the instance that holds the cache answers first, and “quotes” or\nnew lines are as common as in prose"


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


def _tool(number: int) -> dict[str, Any]:
    properties = {
        f"field_{position}": {"type": "string", "description": TEXT, "minLength": 1} for position in range(16)
    }
    parameters = {"type": "object", "properties": properties, "required": ["field_0"]}
    function = {"name": f"tool_{number}", "description": TEXT * 4, "parameters": parameters}
    return {"type": "function", "function": function}
