"""Puts recorded conversations side by side, since a trace without times has them one after the other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warmroute.traffic import ChatRequest


def interleaved(requests: Sequence[ChatRequest], count: int) -> list[ChatRequest]:
    """The first conversations that together have enough requests, as if they were held at the same time.

    Every conversation makes its first request, then every one its second, and so on.

    Args:
        requests: Conversation after conversation, the turns of each in order.
        count: Requests wanted; fewer where there are no more.
    """
    conversations: defaultdict[str, list[ChatRequest]] = defaultdict(list)
    for request in requests:
        if len(conversations) > 1 and request.session not in conversations and _total(conversations) >= count:
            break
        conversations[request.session].append(request)
    together = [request for conversation in conversations.values() for request in conversation]
    return sorted(together, key=lambda request: request.turn)[:count]


def _total(conversations: dict[str, list[ChatRequest]]) -> int:
    return sum(map(len, conversations.values()))
