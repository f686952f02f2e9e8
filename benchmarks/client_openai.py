"""What a chat costs an openai client in CPU time, without a network: wrapped by us, and as it comes."""

import json
from typing import Any

import httpx2
import orjson
from openai import OpenAI

from benchmarks.client_requests import chat
from benchmarks.report import line
from benchmarks.timing import seconds_each
from warmroute.client import openai

ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "llama",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


def run() -> None:
    """``chat.completions.create`` of a wrapped client, against that of a plain one.

    Below it stands the least that a wrapper of ``create`` can reach: what the plain client needs for a chat without
    messages, and orjson for writing the request.
    """
    empty = {**chat(1, 0), "messages": []}
    wrapped, plain = openai.wrap(_client(), prompt_cache_key="team-a"), _client()
    for messages, kilobytes, tools, goal in ((61, 32, 0, 1 / 3), (8, 256, 40, 1 / 10)):
        request = chat(messages, kilobytes, tools=tools)
        ours, theirs, bare, written = seconds_each(
            lambda: wrapped.chat.completions.create(**request),  # noqa: B023
            lambda: plain.chat.completions.create(**request),  # noqa: B023
            lambda: plain.chat.completions.create(**empty),
            lambda: orjson.dumps(request),  # noqa: B023
        )
        line(f"wrapped openai / plain, {kilobytes} KB", ours, theirs, goal)
        line(f"  the least possible / plain, {kilobytes} KB", bare + written, theirs, goal)


def _client() -> Any:
    body = json.dumps(ANSWER).encode()
    headers = {"content-type": "application/json"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=body, headers=headers))
    return OpenAI(api_key="bench", base_url="http://bench/v1", http_client=httpx2.Client(transport=transport))
