"""Which part of the traffic a request belongs to."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warmroute.traffic import TrafficRequest


class SegmentBy(StrEnum):
    """What requests of one segment have in common."""

    NONE = "none"
    """There are no segments."""

    PREFIX_AWARE_ID = "prefix-aware-id"
    """Their PrefixAwareId or ``prompt_cache_key``: a tenant, as a rule."""

    SESSION_PREFIX = "session-prefix"
    """The beginning of the name of their session, up to the first character that is no letter or digit."""

    ADAPTER = "adapter"
    """The LoRA adapter or model that they ask for."""


def segment_of(request: TrafficRequest, by: SegmentBy) -> str:
    """The segment of a request; empty for none.

    Args:
        request: The request.
        by: What makes a segment.
    """
    match by:
        case SegmentBy.PREFIX_AWARE_ID:
            return request.prefix_aware_id
        case SegmentBy.SESSION_PREFIX:
            return _SEPARATOR.split(request.session, maxsplit=1)[0]
        case SegmentBy.ADAPTER:
            return request.adapter
        case SegmentBy.NONE:
            return ""


_SEPARATOR = re.compile(r"[\W_]")
