"""What a line of a batch sends is read to the byte, and no other line is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.traffic.readers.openai_batch import request_body

values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))
objects = st.dictionaries(st.text(), values, max_size=4)
spacing = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\t:")])


@given(objects, objects, spacing, st.booleans())
def test_a_body_is_read_as_it_is_written(body, beside, separators, ascii_only):
    text = json.dumps(body, separators=separators, ensure_ascii=ascii_only)
    members = {**beside, "custom_id": "1"}
    members.pop("body", None)
    lead = json.dumps(members, separators=separators, ensure_ascii=ascii_only)
    assert request_body(f'{lead[:-1]} , "body" : {text} }}'.encode()) == text.encode()


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ('{"custom_id": "1", "body": {"a": 1, "a": 2}}', '{"a": 1, "a": 2}'),
        ('{"body": {"a": 1}, "custom_id": "1", "body": {"b": 2}}', '{"b": 2}'),
        ('{"custom_id": "1", "bod\\u0079": {"a": 1}}', '{"a": 1}'),
        ('{"custom_id": "1", "body": {"a": %s}}' % ("1" * 300), '{"a": %s}' % ("1" * 300)),
    ],
)
def test_what_a_parser_would_rewrite_stays(line, body):
    assert request_body(line.encode()) == body.encode()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[1]",
        b'{"body": {}}',
        b'{"custom_id": "1", "body": "text"}',
        b'{"custom_id": "1", "body": {"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
        b"\xff",
    ],
)
def test_any_other_line_is_the_request_itself(line):
    assert request_body(line) == line


@pytest.mark.parametrize("depth", [900, 1_000, 1_015])
def test_a_body_that_is_too_deep_for_a_reader_is_left_to_the_check_that_says_so(depth):
    body = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    line = b'{"custom_id": "1", "body": ' + body + b"}"
    assert request_body(line) in {line, body}  # How deep Python reads depends on its version.
