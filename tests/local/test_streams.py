"""Streams reach the client event by event, and say so when they break."""

from __future__ import annotations

import asyncio
import itertools
import json
from dataclasses import dataclass, field

import pytest
from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.data.streams import as_it_comes, in_event_stream
from warmroute.local.engines import StreamBrokenError


@dataclass
class Answered:
    """An answer whose connection brings these bytes, and breaks after them where it shall."""

    received: list[bytes]
    breaks: bool = False
    content_type: str = "text/event-stream; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def is_events(self):
        return self.content_type.startswith("text/event-stream")

    async def parts(self):
        for part in self.received:
            yield part
        if self.breaks:
            raise StreamBrokenError("It is gone.")


def _sent(stream) -> list[bytes]:
    async def collected():
        return [part async for part in stream]

    return asyncio.run(collected())


def _cut(text: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[start:end] for start, end in itertools.pairwise(at)]


EVENTS = st.lists(st.sampled_from([b"data: {}", b"data: [DONE]", b": ping", b'data: {"a": "\\n\\n"}']), max_size=6)


@given(EVENTS, st.sampled_from([b"\n\n", b"\r\n\r\n"]), st.lists(st.integers(0, 999)))
def test_every_byte_arrives_and_no_event_is_cut(events, mark, places):
    text = b"".join(event + mark for event in events)
    sent = _sent(as_it_comes(Answered(_cut(text, places))))
    assert b"".join(sent) == text
    assert all(part.endswith(mark) for part in sent)


@given(EVENTS, st.lists(st.integers(0, 999)))
def test_a_broken_stream_ends_with_an_error_and_without_half_an_event(events, places):
    text = b"".join(event + b"\n\n" for event in events)
    broken = Answered([*_cut(text, places), b'data: {"half'], breaks=True)

    whole = b"".join(_sent(as_it_comes(broken)))
    assert whole.startswith(text)
    error = json.loads(whole.removeprefix(text).removeprefix(b"data: "))["error"]
    assert (error["type"], error["message"]) == ("ModelStreamError", "It is gone.")

    buffer = EventStreamBuffer()
    buffer.add_data(b"".join(_sent(in_event_stream(broken))))
    *parts, last = list(buffer)
    assert b"".join(part.payload for part in parts) == text
    assert last.headers[":exception-type"] == "ModelStreamError"
    assert json.loads(last.payload)["ErrorCode"] == "StreamBroken"


def test_what_is_not_made_of_events_comes_as_it_is_and_just_ends():
    answered = Answered([b"abc", b"def"], breaks=True, content_type="application/json")
    with pytest.raises(StreamBrokenError):
        _sent(as_it_comes(answered))
    assert _sent(as_it_comes(Answered([b"abc", b"def"], content_type="application/json"))) == [b"abc", b"def"]
