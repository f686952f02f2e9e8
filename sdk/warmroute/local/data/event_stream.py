"""AWS's event-stream encoding of a streamed answer.

Format: a prelude of total and header length with its CRC-32, headers, payload, and a CRC-32 of the message; all
numbers big-endian. Source: Smithy specification, ``application/vnd.amazon.eventstream``.
"""

from __future__ import annotations

import struct
from zlib import crc32


def payload_part(payload: bytes) -> bytes:
    """A part of the answer, as InvokeEndpointWithResponseStream sends it."""
    return _message(_PAYLOAD_HEADERS, payload)


def exception(kind: str, payload: bytes) -> bytes:
    """An exception that ends the stream.

    Args:
        kind: ``ModelStreamError`` or ``InternalStreamFailure``.
        payload: JSON with ``Message``.
    """
    headers = {":message-type": "exception", ":exception-type": kind, ":content-type": "application/json"}
    return _message(_headers(headers), payload)


def _message(headers: bytes, payload: bytes) -> bytes:
    prelude = struct.pack(">II", len(headers) + len(payload) + 16, len(headers))
    head = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return head + struct.pack(">I", crc32(head))


def _headers(values: dict[str, str]) -> bytes:
    text_type = 7
    return b"".join(
        struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", text_type, len(value)) + value.encode()
        for name, value in values.items()
    )


_PAYLOAD_HEADERS = _headers(
    {":message-type": "event", ":event-type": "PayloadPart", ":content-type": "application/octet-stream"}
)
