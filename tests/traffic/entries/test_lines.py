"""Lines and objects are told apart with bounded memory, whatever the bytes are."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.traffic.entries.lines import CUT_OFF, NO_OBJECT, TOO_LONG, lines, objects

values = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(['"', "\\", '\\"', "{", "}]", "\\\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
documents = st.lists(st.dictionaries(st.text(max_size=3), values, max_size=4), max_size=6)


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time, as they fall."""

    def __init__(self, data, sizes):
        self._data, self._sizes = data, sizes

    def read(self, size=-1):
        count = self._sizes[len(self._data) % len(self._sizes)]
        taken, self._data = self._data[:count], self._data[count:]
        return taken


@given(documents, st.sampled_from([None, 1]), st.booleans(), st.lists(st.integers(1, 7), min_size=1, max_size=5))
def test_objects_of_a_list_are_found_however_it_is_cut(document, indent, ascii_only, sizes):
    data = json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()
    pieces = list(objects(Dribble(data, sizes), 1 << 20))
    assert [json.loads(piece.data) for piece in pieces] == document
    assert [piece.number for piece in pieces] == list(range(1, len(document) + 1))


@given(documents)
def test_objects_one_after_the_other_need_no_list(document):
    data = " \n".join(json.dumps(value, indent=2) for value in document).encode()
    assert [json.loads(piece.data) for piece in objects(io.BytesIO(data), 1 << 20)] == document


@given(st.binary(max_size=200), st.integers(1, 60), st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_any_bytes_are_pieces_or_faults_and_how_they_come_makes_no_difference(data, limit, sizes):
    whole = list(objects(io.BytesIO(data), limit))
    assert list(objects(Dribble(data, sizes), limit)) == whole
    assert all(piece.data is None or len(piece.data) <= limit for piece in whole)


@pytest.mark.parametrize(
    ("data", "pieces"),
    [
        (b'[{"a": 1}, 7, "{", {"b": 2}]', [b'{"a": 1}', NO_OBJECT, b'{"b": 2}']),
        (b'[{"a": 1}, {"b": ', [b'{"a": 1}', CUT_OFF]),
        (b'[{"a": "long enough"}, {"b": 2}]', [TOO_LONG, b'{"b": 2}']),
        (b'[{"a": ]}, {"b": 2}]', [b'{"a": ]', b'{"b": 2}']),
        (b"\xef\xbb\xbf[]", []),
        (b'["unfinished', [NO_OBJECT]),
    ],
)
def test_what_is_no_object_costs_no_other(data, pieces):
    assert [piece.data or piece.fault for piece in objects(io.BytesIO(data), 12)] == pieces


@given(st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line), max_size=8), st.integers(1, 25))
def test_every_line_is_read_or_told_to_be_too_long(parts, limit):
    found = list(lines(io.BytesIO(b"\n".join(parts)), limit))
    assert [piece.number for piece in found] == [
        number for number, line in enumerate(parts, 1) if line.strip() or len(line) > limit
    ]
    for piece in found:
        line = parts[piece.number - 1]
        assert piece.data == (line.strip() if len(line) <= limit else None)


class Endless(io.RawIOBase):
    """A line of 100 MB that is never there as a whole."""

    def __init__(self, size, fill):
        self._left, self._fill = size, fill

    def readable(self):
        return True

    def readinto(self, buffer):
        count = min(len(buffer), self._left)
        buffer[:count] = self._fill * count
        self._left -= count
        return count


@pytest.mark.parametrize(("split", "fill"), [(lines, b"x"), (objects, b"{"), (objects, b"\\")])
def test_a_line_of_100_mb_takes_little_memory(split, fill):
    # Brackets are looked at one by one, so that there are fewer of them.
    stream = io.BufferedReader(Endless(100_000_000 if fill != b"{" else 60_000, fill))
    tracemalloc.start()
    try:
        found = list(split(stream, 1 << 15))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [piece.data for piece in found] == [None]
    assert peak < 8 << 20
