"""The event stream is what botocore decodes, whatever the payload."""

from __future__ import annotations

import struct
from zlib import crc32

from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from warmroute.local.data import event_stream


def _decoded(data: bytes) -> list[tuple[dict[str, str], bytes]]:
    buffer = EventStreamBuffer()
    buffer.add_data(data)
    return [(dict(message.headers), message.payload) for message in buffer]


@given(st.lists(st.binary(max_size=2_000), max_size=8))
def test_botocore_reads_back_every_part(parts: list[bytes]) -> None:
    decoded = _decoded(b"".join(map(event_stream.payload_part, parts)))

    assert [payload for _, payload in decoded] == parts
    assert all(headers[":event-type"] == "PayloadPart" for headers, _ in decoded)


def test_exception_carries_its_kind() -> None:
    ((headers, payload),) = _decoded(event_stream.exception("ModelStreamError", b'{"Message":"gone"}'))

    assert headers[":message-type"] == "exception"
    assert headers[":exception-type"] == "ModelStreamError"
    assert payload == b'{"Message":"gone"}'


@given(st.binary(max_size=200))
def test_checksums_cover_prelude_and_message(payload: bytes) -> None:
    message = event_stream.payload_part(payload)

    assert struct.unpack(">I", message[:4])[0] == len(message)
    assert struct.unpack(">I", message[8:12])[0] == crc32(message[:8])
    assert struct.unpack(">I", message[-4:])[0] == crc32(message[:-4])
