"""Server-sent events from pieces of bytes cut anywhere, also inside a line end or a character.

Source: WHATWG HTML, "Server-sent events"; only the data of events matters here.
"""

from __future__ import annotations

import re


class ServerSentEvents:
    """Reads a stream of events piece by piece."""

    def __init__(self) -> None:
        self._open_line: list[bytes] = []
        """Pieces of the line that has not ended yet; joined once, so that many small pieces cost no more than few."""
        self._is_first_line = True
        self._data: list[bytes] = []
        self._after_return = False

    def feed(self, part: bytes) -> list[bytes]:
        """The data of each event that this part completes.

        Args:
            part: The next bytes of the stream, any number of them.
        """
        if not part:
            return []
        if self._after_return:  # The part before ended between the two bytes of a line end, or with a whole one.
            part = part.removeprefix(b"\n")
        self._after_return = part.endswith(b"\r")
        first, *others = _LINE_END.split(part)
        self._open_line.append(first)
        if not others:
            return []
        lines = [b"".join(self._open_line), *others[:-1]]
        self._open_line = others[-1:]
        if self._is_first_line:
            lines[0], self._is_first_line = lines[0].removeprefix(_BYTE_ORDER_MARK), False
        return [event for event in map(self._read, lines) if event is not None]

    def _read(self, line: bytes) -> bytes | None:
        if line:
            field, _, value = line.partition(b":")
            if field == b"data":
                self._data.append(value.removeprefix(b" "))
            return None
        data, self._data = self._data, []
        return b"\n".join(data) if data else None


_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
