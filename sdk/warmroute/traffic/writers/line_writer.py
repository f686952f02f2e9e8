"""What a format of traffic is to its writer: the line of a request, and what it has no place for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

    from warmroute.traffic.record import TrafficRequest

PARTS: dict[str, Callable[[TrafficRequest], bool]] = {
    "arrival times": lambda request: request.arrival_seconds is not None,
    "sessions": lambda request: bool(request.session),
    "bodies": lambda request: request.body is not None,
    "texts": lambda request: request.text is not None,
    "block hashes": lambda request: bool(request.block_hashes),
    "answer lengths": lambda request: request.output_tokens is not None or request.output_characters is not None,
    "routing ids": lambda request: bool(request.prefix_aware_id),
    "adapters": lambda request: bool(request.adapter),
}
"""Parts of a request that a format may have no place for, and whether a request has them."""


class LeftOutError(Exception):
    """A request that the format cannot hold.

    Args:
        reason: Why, without anything of the request's content: reasons are counted.
    """


class LineWriter(ABC):
    """A format, one JSON object a line."""

    has_times: ClassVar[bool] = False
    """Whether a line tells when its request arrived."""

    needs_answer_length: ClassVar[bool] = False
    """Whether a line must tell how long the answer was."""

    holds: ClassVar[frozenset[str]]
    """The ``PARTS`` that a line, or what is computed for it, keeps."""

    @abstractmethod
    def line(self, request: TrafficRequest, adapted: set[str]) -> bytes:
        """The request as a JSON object on one line, without its time and without the line's end.

        Args:
            request: The request.
            adapted: Takes what had to be estimated or rewritten, in words.

        Raises:
            LeftOutError: The format cannot hold it.
        """

    def with_time(self, line: bytes, seconds: float) -> bytes:  # noqa: ARG002 - for formats without times.
        """A line that tells when its request arrived.

        Args:
            line: As ``line`` gave it.
            seconds: Since the first request.
        """
        return line


def json_line(value: dict[str, Any]) -> bytes:
    """A line of JSON.

    Raises:
        LeftOutError: A text has no form in UTF-8.
    """
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        raise LeftOutError("a text with half a surrogate pair, which no JSON in UTF-8 holds") from None


def with_first_member(line: bytes, name: str, value: float) -> bytes:
    """A JSON object that has members, with a number put before them."""
    return b'{"%s":%s,%s' % (name.encode(), orjson.dumps(value), line[1:])
