"""A chat request and its answer, as openai clients send and read them."""

from typing import Any

MESSAGES: list[Any] = [{"content": "é", "role": "user"}]
ANSWER: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}],
}
