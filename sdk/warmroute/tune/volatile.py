"""Text in the windows of recorded requests that probably changes from call to call."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from warmroute.errors import WarmrouteError
from warmroute.prefix import find_volatile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.inference_api import Api
    from warmroute.traffic.record import TrafficRequest

LOOKED_AT = 200
"""Requests that are looked at."""


@dataclass(frozen=True, slots=True)
class VolatileText:
    """A kind of text found in one place of several requests."""

    kind: str
    path: str
    """Where in the request, positions left out: ``messages[].content``."""

    first_offset: int
    """Where it begins in the window, at the earliest."""

    requests: int
    """How many of those looked at have it."""

    remedy: str


def volatile_texts(requests: Iterable[TrafficRequest], *, api: Api, prefix_length: int) -> tuple[VolatileText, ...]:
    """What scatters prefixes, by kind and place, the most frequent first; only requests with a body are read.

    Args:
        requests: Recorded requests; the first 200 are looked at.
        api: The API whose window is looked at.
        prefix_length: Its length.
    """
    counts: Counter[tuple[str, str]] = Counter()
    offsets: dict[tuple[str, str], int] = {}
    remedies: dict[tuple[str, str], str] = {}
    for request in islice((each for each in requests if each.body), LOOKED_AT):
        try:
            found = find_volatile(request.body or b"", api=api, prefix_length=prefix_length)
        except WarmrouteError:  # Not JSON, or not a chat request: a reader's matter.
            continue
        places = {(str(each.kind), _POSITION.sub("[]", each.path)): each for each in reversed(found)}
        for place, each in places.items():
            counts[place] += 1
            offsets[place] = min(each.offset, offsets.get(place, each.offset))
            remedies[place] = each.remedy
    ordered = sorted(counts, key=lambda place: (-counts[place], place))
    return tuple(VolatileText(*place, offsets[place], counts[place], remedies[place]) for place in ordered)


_POSITION = re.compile(r"\[\d+\]")
