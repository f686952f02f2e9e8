"""What the test double gives back in place of botocore's responses."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class Ok:
    """The HTTP response, of which botocore looks at the status."""

    status_code = 200


def body_of(content: bytes, *, is_async: bool) -> Any:
    """The body of a whole answer, as boto3 or aiobotocore gives it."""
    if is_async:
        return _AsyncBody(content)
    from botocore.response import StreamingBody

    return StreamingBody(io.BytesIO(content), len(content))


class _AsyncBody:
    """A body as aiobotocore gives it."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    async def read(self, amt: int | None = None) -> bytes:
        """The rest of the content, or some bytes of it."""
        return self._content.read(amt)

    async def iter_chunks(self, chunk_size: int = 1024) -> AsyncIterator[bytes]:
        """The content in parts."""
        while part := self._content.read(chunk_size):
            yield part

    async def iter_lines(self, chunk_size: int = 1024, keepends: bool = False) -> AsyncIterator[bytes]:  # noqa: ARG002, FBT001, FBT002 - aiobotocore's signature.
        """The content in lines."""
        for line in self._content.read().splitlines(keepends):
            yield line

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.iter_chunks()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is open."""


class Events:
    """An event stream, for ``for`` and for ``async for``."""

    def __init__(self, parts: list[bytes]) -> None:
        self._events = [{"PayloadPart": {"Bytes": part}} for part in parts]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._events)

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        for event in self._events:
            yield event

    def close(self) -> None:
        """Nothing is open."""
