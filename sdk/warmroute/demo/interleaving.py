"""Puts recorded conversations side by side, since a trace without times has them one after the other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.traffic import TrafficRequest


def interleaved(requests: Iterable[TrafficRequest], count: int) -> list[TrafficRequest]:
    """The first conversations that together have enough requests, as if they were held at the same time.

    Every conversation makes its first request, then every one its second, and so on.

    Args:
        requests: Conversation after conversation, the turns of each in order; one without a session stands alone.
        count: Requests wanted; fewer where there are no more.
    """
    conversations: defaultdict[tuple[str, int | str], list[TrafficRequest]] = defaultdict(list)
    for total, request in enumerate(requests):
        name = ("session", request.session) if request.session else (request.source, request.line)
        if len(conversations) > 1 and name not in conversations and total >= count:
            break
        conversations[name].append(request)
    together = [turn for conversation in conversations.values() for turn in enumerate(conversation)]
    return [request for _, request in sorted(together, key=lambda turn: turn[0])][:count]
