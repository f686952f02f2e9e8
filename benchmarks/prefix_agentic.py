"""What canonical JSON costs an agent, whose chats hold tools, their calls and results, against ``orjson.dumps``."""

import json
import random
from typing import Any

import orjson

from benchmarks.prefix_requests import TEXT
from benchmarks.report import line
from benchmarks.timing import seconds_each
from warmroute.prefix import canonical_json


def run() -> None:
    """Chats of an agent as its application builds them, and as ``openai`` writes its replies back."""
    for turns, kilobytes, goal in ((20, 32, 2.0), (80, 256, 1.3)):
        for form, in_order in (("in order", True), ("as replies", False)):
            request = chat(turns, kilobytes, in_order=in_order)
            ours, theirs = seconds_each(
                lambda: canonical_json(request),  # noqa: B023
                lambda: orjson.dumps(request),  # noqa: B023
                runs=30,
                calls=50,
            )
            line(f"canonical_json, agent {form}, {kilobytes} KB", ours, theirs, goal)


def chat(turns: int, kilobytes: int, *, in_order: bool) -> dict[str, Any]:
    """A chat in which every turn is a call of a tool and its result.

    Args:
        turns: How many.
        kilobytes: Length of all texts, of which the tools have an eighth.
        in_order: Whether the fields of messages are in canonical order; if not, in that of openai's models.
    """
    rng = random.Random(1)
    tools = [_tool(number) for number in range(max(1, kilobytes // 16))]
    size = kilobytes * 1024 * 7 // 8 // (turns + 1)
    messages: list[dict[str, Any]] = [{"role": "system", "content": _text(rng, size)}]
    for turn in range(turns):
        function = {"name": f"tool_{turn % len(tools)}", "arguments": json.dumps({"query": TEXT[:40], "page": turn})}
        call = {"id": f"call_{turn:024}", "type": "function", "function": function}
        if not in_order:
            call = {"id": call["id"], "function": {"arguments": function["arguments"], "name": function["name"]}}
            call["type"] = "function"
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": call["id"], "content": _text(rng, size - 200)}
        messages += [said, result] if in_order else [dict(sorted(said.items())), dict(sorted(result.items()))]
    return {"model": "llama", "tools": tools, "messages": messages, "temperature": 0.2, "max_tokens": 256}


def _tool(number: int) -> dict[str, Any]:
    properties = {
        "query": {"type": "string", "description": TEXT * 3, "minLength": 1},
        "page": {"type": "integer", "minimum": 1, "default": 1},
        "order": {"type": "string", "enum": ["newest", "oldest", "relevance"]},
    }
    parameters = {"type": "object", "properties": properties, "required": ["query"], "additionalProperties": False}
    function = {"name": f"tool_{number}", "description": TEXT * 12, "parameters": parameters}
    return {"type": "function", "function": function}


def _text(rng: random.Random, size: int) -> str:
    words, text = TEXT.split(" "), ""
    while len(text) < size:
        text += rng.choice(words) + " "
    return text[:size]
