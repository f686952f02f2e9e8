"""How an answer that streams reaches the client, and what it is told when the stream breaks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import orjson

from warmroute.local.data import event_stream
from warmroute.local.data.failures import internal_failure
from warmroute.local.engines import StreamBrokenError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from warmroute.local.data.answer import Answer

_LOGGER = logging.getLogger(__name__)


async def in_event_stream(answer: Answer) -> AsyncIterator[bytes]:
    """An answer in AWS's event stream, which ends with an exception where the answer ends early.

    Args:
        answer: The container's.
    """
    try:
        async for part in _parts(answer):
            yield event_stream.payload_part(part)
    except StreamBrokenError as error:
        yield event_stream.exception(
            "ModelStreamError", orjson.dumps({"Message": str(error), "ErrorCode": "StreamBroken"})
        )
    except Exception:
        _LOGGER.exception("The data plane failed in the middle of a stream.")
        yield event_stream.exception("InternalStreamFailure", orjson.dumps(internal_failure().body))


async def as_it_comes(answer: Answer) -> AsyncIterator[bytes]:
    """An answer as the container words it; server-sent events end with one of an error where the answer ends early.

    Args:
        answer: The container's.

    Raises:
        StreamBrokenError: The answer ended early and is not one of events, so that only its connection can tell.
    """
    try:
        async for part in _parts(answer):
            yield part
    except StreamBrokenError as error:
        if not answer.is_events:
            raise
        # The shape of vLLM's own errors in a stream.
        told = {"error": {"message": str(error), "type": "ModelStreamError", "param": None, "code": 424}}
        yield b"data: " + orjson.dumps(told) + b"\n\n"


def _parts(answer: Answer) -> AsyncIterator[bytes]:
    return _whole_events(answer.parts()) if answer.is_events else answer.parts()


async def _whole_events(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Server-sent events, none of them cut: a client must not read the half of one that an engine died over."""
    begun = b""
    async for part in parts:
        received = begun + part if begun else part
        end = _end_of_events(received)
        if end:
            yield received[:end]
        begun = received[end:]
    if begun:
        yield begun


def _end_of_events(received: bytes) -> int:
    ends = (received.rfind(mark) + len(mark) for mark in (b"\n\n", b"\r\n\r\n") if mark in received)
    return max(ends, default=0)
