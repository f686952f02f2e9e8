"""The body of a request, to be put into a line as it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from warmroute.traffic.writers.line_writer import LeftOutError

if TYPE_CHECKING:
    from warmroute.traffic.record import TrafficRequest

_LINE_BREAKS = bytes.maketrans(b"\r\n", b"  ")


def one_line_body(request: TrafficRequest, adapted: set[str]) -> tuple[bytes, dict[str, Any]]:
    """The body's bytes without line breaks, and what they say.

    A line break of JSON is white space, so that a space in its place keeps the value and the length.

    Args:
        request: The request.
        adapted: Takes a word on a body that had line breaks.

    Raises:
        LeftOutError: It has no body, or one that is no JSON object.
    """
    if request.body is None:
        raise LeftOutError("no body")
    try:
        value = orjson.loads(request.body)
    except ValueError:
        raise LeftOutError("a body that is not JSON") from None
    if not isinstance(value, dict) or not value:
        raise LeftOutError("a body that is no JSON object, or an empty one")
    body = request.body.translate(_LINE_BREAKS)
    if body != request.body:
        adapted.add("bodies whose line breaks became spaces")
    return body, value
