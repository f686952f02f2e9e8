"""What the test double answers is read as botocore's and aiobotocore's answers are."""

from __future__ import annotations

import asyncio

from warmroute.client.fake_response import Events, body_of

CONTENT = b"first\nsecond\n"


def test_a_whole_answer_is_read_as_boto3_gives_it() -> None:
    assert body_of(CONTENT, is_async=False).read() == CONTENT
    assert list(body_of(CONTENT, is_async=False).iter_lines()) == [b"first", b"second"]


def test_a_whole_answer_is_read_as_aiobotocore_gives_it() -> None:
    async def read() -> None:
        async with body_of(CONTENT, is_async=True) as body:
            assert await body.read(5) == b"first"
            assert await body.read() == b"\nsecond\n"
        assert [part async for part in body_of(CONTENT, is_async=True).iter_chunks(6)] == [b"first\n", b"second", b"\n"]
        assert [part async for part in body_of(CONTENT, is_async=True)] == [CONTENT]
        lines = body_of(CONTENT, is_async=True)
        assert [line async for line in lines.iter_lines()] == [b"first", b"second"]
        kept = body_of(CONTENT, is_async=True)
        assert [line async for line in kept.iter_lines(keepends=True)] == [b"first\n", b"second\n"]

    asyncio.run(read())


def test_a_stream_of_events_is_for_both() -> None:
    events = [{"PayloadPart": {"Bytes": part}} for part in (b"a", b"b")]

    async def read() -> list[object]:
        return [event async for event in Events([b"a", b"b"])]

    stream = Events([b"a", b"b"])
    assert list(stream) == asyncio.run(read()) == events
    stream.close()
