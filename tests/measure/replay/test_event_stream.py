"""AWS's event stream, cut anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.data import event_stream
from warmroute.measure.replay.event_stream import EventStreamReader
from warmroute.measure.replay.http.errors import ExchangeError


@given(st.lists(st.binary(max_size=60), max_size=5), st.lists(st.integers(0, 400), max_size=8))
def test_payloads_arrive_whole_and_in_order(payloads, cuts):
    stream = b"".join(map(event_stream.payload_part, payloads))
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = EventStreamReader()

    found = [each for begin, end in pairwise(edges) for each in reader.feed(stream[begin:end])]

    assert found == payloads


def test_botocore_reads_the_same():
    from botocore.eventstream import EventStreamBuffer

    stream = b"".join(event_stream.payload_part(b"part %d" % number) for number in range(3))
    buffer = EventStreamBuffer()
    buffer.add_data(stream)

    assert EventStreamReader().feed(stream) == [event.payload for event in buffer]


def test_an_exception_is_told_by_its_name():
    with pytest.raises(ExchangeError, match=r"^ModelStreamError$"):
        EventStreamReader().feed(event_stream.exception("ModelStreamError", b'{"Message": "secret"}'))


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_byte_is_noticed(place, change):
    stream = bytearray(event_stream.payload_part(b"hello"))
    stream[place % len(stream)] ^= change

    with pytest.raises(ExchangeError, match="damaged"):
        EventStreamReader().feed(bytes(stream))
