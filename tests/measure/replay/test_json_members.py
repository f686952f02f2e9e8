"""Changing members of a JSON object and nothing else."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.replay.json_members import edited

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", 'q"', "é", "model", "stream"]), VALUES)


@given(OBJECTS, st.sampled_from([None, 1]), st.booleans())
def test_it_is_what_editing_the_values_gives(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    found = json.loads(edited(text, without={"stream"}, replaced={"model": '"m"'}, first="", last='"z":1'))

    kept = {name: "m" if name == "model" else each for name, each in value.items() if name != "stream"}
    assert found == {**kept, "z": 1}
    assert list(found) == [*kept, "z"]


def test_what_stays_keeps_its_spaces_and_escapes():
    text = '{"model": "a", "stream": true, "messages": [{"role":"user",  "content": "\\u00e9\\/"}], "n": 1.0e2}'

    found = edited(text, without={"stream", "n"}, replaced={"model": '"b"'}, first="", last='"max_tokens":3')

    assert found == '{"model": "b", "messages": [{"role":"user",  "content": "\\u00e9\\/"}], "max_tokens":3}'


def test_a_member_in_front():
    assert edited('{"a":1}', without=(), replaced={}, first='"model":"m"', last="") == '{"model":"m","a":1}'
