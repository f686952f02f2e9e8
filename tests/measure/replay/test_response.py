"""HTTP responses, cut anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.replay.http.errors import ExchangeError
from warmroute.measure.replay.http.response import ResponseReader


class Received:
    def __init__(self):
        self.status, self.headers, self.body = 0, {}, b""

    def begin(self, status, headers):
        assert not self.status
        self.status, self.headers = status, headers

    def part(self, data):
        assert data
        self.body += data


def chunked(parts):
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\nTrailer: 1\r\n\r\n"


def read(data, cuts=()):
    received = Received()
    reader = ResponseReader(received)
    edges = [0, *sorted(cuts), len(data)]
    for begin, end in pairwise(edges):
        if begin < end:
            reader.feed(data[begin:end])
    return reader, received


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.data())
def test_a_body_is_the_same_however_it_is_framed_and_cut(parts, data):
    body = b"".join(parts)
    for framed in (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(parts),
        HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length:%d\r\n\r\n" % len(body) + body,
    ):
        cuts = data.draw(st.lists(st.integers(0, len(framed)), max_size=6))
        reader, received = read(framed, cuts)
        assert reader.complete
        assert reader.keeps_connection
        assert (received.status, received.body) == (200, body)
        assert received.headers["content-type"] == "text/event-stream"
        assert read(framed[:-1])[0].complete is False


def test_a_body_without_a_length_ends_with_the_connection():
    reader, received = read(HEAD + b"\r\nabc")
    assert not reader.complete
    reader.end()
    assert reader.complete
    assert not reader.keeps_connection
    assert received.body == b"abc"


def test_a_body_that_is_cut_off_is_not_complete_at_the_end_of_the_connection():
    reader, _ = read(HEAD + b"Content-Length: 5\r\n\r\nabc")
    reader.end()
    assert not reader.complete


@pytest.mark.parametrize(
    ("head", "keeps"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n", False),
        (b"HTTP/1.0 200 OK\r\n", False),
        (b"HTTP/1.1 204 \r\n", True),
    ],
)
def test_whether_the_connection_serves_again(head, keeps):
    reader, _ = read(head + b"Content-Length: 0\r\n\r\n")
    assert reader.complete
    assert reader.keeps_connection is keeps


def test_bytes_behind_the_response_end_the_connection():
    reader, _ = read(HEAD + b"Content-Length: 1\r\n\r\nabc")
    assert reader.complete
    assert not reader.keeps_connection


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 2_000,
        b"x" * 70_000,
    ],
)
def test_what_is_no_response_is_refused(data):
    with pytest.raises(ExchangeError, match="no HTTP response"):
        read(data)
