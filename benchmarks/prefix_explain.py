"""What it costs to explain where two requests part, and to search one for volatile text."""

import copy
import json
from collections.abc import Callable
from typing import Any

from benchmarks.prefix_requests import chat
from benchmarks.report import line
from benchmarks.timing import seconds_each
from warmroute.prefix import canonical_json, explain, find_volatile

GOAL_SECONDS = 1e-3
"""Both are part of no request, but of tools that look at many; the reference is this time."""


def run() -> None:
    """Two chats that differ in a date near their end; a window of 8 KB."""
    for messages, kilobytes in ((61, 32), (8, 256)):
        one = chat(messages, kilobytes * 1024)
        other = _with_another_date(one)
        pairs: dict[str, tuple[Any, Any]] = {
            "values": (one, other),
            "canonical JSON": (canonical_json(one), canonical_json(other)),
            "json.dumps": (json.dumps(one), json.dumps(other)),
        }
        times = seconds_each(*map(_explanation, pairs.values()), runs=30)
        for form, seconds in zip(pairs, times, strict=True):
            line(f"explain / 1 ms, {form}, {kilobytes} KB", seconds, GOAL_SECONDS, 1.0)
    prose = chat(61, 32 * 1024)
    line("find_volatile / 1 ms, 8 KB of prose", _search(prose), GOAL_SECONDS, 1.0)
    prose["messages"][0]["content"] = "Order 4711: 3 items at 12.50, row 17, 0.125. " * 180  # type: ignore[index]
    line("find_volatile / 1 ms, 8 KB full of numbers", _search(prose), GOAL_SECONDS, 1.0)


def _with_another_date(request: dict[str, Any]) -> dict[str, Any]:
    other = copy.deepcopy(request)
    message = other["messages"][len(other["messages"]) * 3 // 4]
    message["content"] = f"{message['content'][:-400]} It is 2026-11-30. {message['content'][-400:]}"
    return other


def _explanation(pair: tuple[Any, Any]) -> Callable[[], object]:
    return lambda: explain(*pair, api="invoke", prefix_length=4_096)


def _search(request: dict[str, object]) -> float:
    return seconds_each(lambda: find_volatile(request, api="invoke", prefix_length=8_192))[0]
