"""Reads AWS's event stream, in which InvokeEndpointWithResponseStream wraps the container's answer.

botocore's own reader takes several times as long for each part.
Source: Smithy specification, ``application/vnd.amazon.eventstream``.
"""

from __future__ import annotations

import struct
from zlib import crc32

from warmroute.measure.replay.http.errors import ExchangeError

_PRELUDE = struct.Struct(">III")
_OVERHEAD = _PRELUDE.size + 4
_LONGEST_MESSAGE = 1 << 24
"""Source: botocore ``eventstream.py``: 16 MB of payload and 128 KB of headers at most."""

_STRING = 7


class EventStreamReader:
    """Reads one stream, from parts cut anywhere."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._headers: dict[bytes, dict[str, str]] = {}
        """What headers say that were read before: those of the parts of an answer are all alike."""

    def feed(self, part: bytes) -> list[bytes]:
        """The payloads that this part completes.

        Raises:
            ExchangeError: The stream is damaged, or ends with an exception of SageMaker.
        """
        buffer = self._buffer
        buffer += part
        payloads = []
        while len(buffer) >= _OVERHEAD:
            length, headers_length, checksum = _PRELUDE.unpack_from(buffer)
            if length > _LONGEST_MESSAGE or headers_length > length - _OVERHEAD or crc32(buffer[:8]) != checksum:
                raise ExchangeError("damaged event stream")
            if len(buffer) < length:
                break
            message = bytes(buffer[:length])
            del buffer[:length]
            if crc32(message[:-4]) != int.from_bytes(message[-4:], "big"):
                raise ExchangeError("damaged event stream")
            end = _PRELUDE.size + headers_length
            headers = self._read(message[_PRELUDE.size : end])
            kind = headers.get(":message-type")
            if kind != "event":
                raise ExchangeError(headers.get(":exception-type") or headers.get(":error-code") or "error event")
            if headers.get(":event-type") == "PayloadPart":
                payloads.append(message[end:-4])
        return payloads

    def _read(self, data: bytes) -> dict[str, str]:
        known = self._headers.get(data)
        if known is None:
            known = self._headers[data] = _headers(data)
        return known


def _headers(data: bytes) -> dict[str, str]:
    """Headers that hold text; SageMaker's others are of no use here."""
    found, at = {}, 0
    try:
        while at < len(data):
            start = at + 1
            at = start + data[at]
            name, kind = data[start:at].decode(), data[at]
            at += 1
            if kind != _STRING:
                break
            (length,) = struct.unpack_from(">H", data, at)
            found[name] = data[at + 2 : at + 2 + length].decode()
            at += 2 + length
    except (IndexError, struct.error, UnicodeDecodeError):
        raise ExchangeError("damaged event stream") from None
    return found
