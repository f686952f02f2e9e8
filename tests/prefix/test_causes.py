"""Why two texts or two values differ: each cause next to its neighbour, and the sizes up to which it is looked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.prefix import Affected, Cause, canonical_json, explain
from warmroute.prefix.cause import ARGUMENTS_REMEDY
from warmroute.prefix.redaction import _shape_of, shape
from warmroute.prefix.text_cause import _lines, cause_of_texts
from warmroute.prefix.value_cause import ABSENT, cause_of_values, is_same_number, member

CLOSE = 16_384
"""Characters that differ, up to which a text is searched for moved lines and other normal forms."""
NEAR = 96
"""Characters around the difference in which a date that covers it is searched."""


@pytest.mark.parametrize("frame", ["{}", "x{}", "{}y", "Be kind.\n{}\nThank you.", "é{}😀"])
@pytest.mark.parametrize(
    ("one", "other", "cause"),
    [
        ("a b", "a  b", Cause.TEXT_WHITE_SPACE),
        ("a", "a\n", Cause.TEXT_WHITE_SPACE),
        ("a\tb", "a b", Cause.TEXT_WHITE_SPACE),
        ("a b", "a bc", Cause.TEXT_CHANGE),
        ("caf\u00e9 a", "cafe\u0301 a", Cause.UNICODE_FORM),
        ("caf\u00e9", "cafe", Cause.TEXT_CHANGE),
        ("\ufb01x", "fix", Cause.TEXT_CHANGE),
        (" 2026-11-30 ", " 2026-12-01 ", Cause.VOLATILE_TEXT),
        (" 2026-11-30 ", " today ", Cause.VOLATILE_TEXT),
        (" today ", " 2026-11-30 ", Cause.VOLATILE_TEXT),
        ("a  b", "a 2026-11-30 b", Cause.VOLATILE_TEXT),
        ("a Not since 2026-11-30 b", "a  b", Cause.VOLATILE_TEXT),
        (" e.g. 2026-11-30 ", " e.g. 2026-12-01 ", Cause.VOLATILE_TEXT),
        (" 2026-11-30 a", " 2026-11-30 b", Cause.TEXT_CHANGE),
        (" 2026-11-30)", " 2026-11-30;", Cause.TEXT_CHANGE),
        ("a 2026-11-30", "b 2026-11-30", Cause.TEXT_CHANGE),
    ],
)
def test_the_cause_of_texts(frame: str, one: str, other: str, cause: Cause) -> None:
    assert cause_of_texts(frame.format(one), frame.format(other)) is cause
    assert cause_of_texts(frame.format(other), frame.format(one)) is cause


@pytest.mark.parametrize("frame", ["{}", "First.\n{}", "{}\nLast.", "First.\n{}\nLast.", "a\nFirst.\n{}\nLast.\nb"])
@pytest.mark.parametrize(
    ("one", "other", "cause"),
    [
        ("ab\ncd", "cd\nab", Cause.TEXT_ORDER),
        ("ab\nac\nad", "ad\nab\nac", Cause.TEXT_ORDER),
        ("ab\ncd", "cd\nabc", Cause.TEXT_CHANGE),
        ("ab\ncd", "cd ab", Cause.TEXT_CHANGE),
    ],
)
def test_lines_in_another_order(frame: str, one: str, other: str, cause: Cause) -> None:
    assert cause_of_texts(frame.format(one), frame.format(other)) is cause


@pytest.mark.parametrize(
    ("text", "start", "shared_end", "lines"),
    [
        ("ab\ncd\nef\ngh\nij\nkl", 7, 7, ["ef", "gh"]),
        ("ab\ncd\nef\ngh\nij\nkl", 0, 17, ["ab"]),
        ("ab\ncd\nef\ngh\nij\nkl", 16, 0, ["kl"]),
        ("\nab", 2, 0, ["ab"]),
        ("\nab", 0, 3, [""]),
        ("b\na", 0, 0, ["a", "b"]),
    ],
)
def test_only_lines_that_differ_are_compared(text: str, start: int, shared_end: int, lines: list[str]) -> None:
    assert _lines(text, start, shared_end) == lines


@pytest.mark.parametrize(("size", "cause"), [(CLOSE, Cause.TEXT_ORDER), (CLOSE + 1, Cause.TEXT_CHANGE)])
def test_moved_lines_are_looked_for_in_what_is_short(size: int, cause: Cause) -> None:
    first, second = "a" * (size // 2), "b" * (size - size // 2 - 1)
    assert cause_of_texts(f"{first}\n{second}", f"{second}\n{first}") is cause


@pytest.mark.parametrize(("size", "cause"), [(CLOSE, Cause.UNICODE_FORM), (CLOSE + 2, Cause.TEXT_CHANGE)])
def test_normal_forms_are_looked_for_in_what_is_short(size: int, cause: Cause) -> None:
    assert cause_of_texts("\u00e9" * (size // 2), "e\u0301" * (size // 2)) is cause


@pytest.mark.parametrize(("size", "cause"), [(CLOSE, Cause.VOLATILE_TEXT), (CLOSE + 1, Cause.TEXT_CHANGE)])
def test_something_volatile_is_looked_for_in_a_short_insertion(size: int, cause: Cause) -> None:
    inserted = "c" * (size - 11) + " 2026-11-30"
    assert cause_of_texts("ab", f"a{inserted}b") is cause


@pytest.mark.parametrize("before", [0, 1, NEAR - 1, NEAR, NEAR + 1, 3 * NEAR])
@pytest.mark.parametrize("sign", range(10))
def test_a_date_is_seen_wherever_its_first_other_digit_is(before: int, sign: int) -> None:
    date = "2026-11-30"
    other = date[:sign] + "x" + date[sign + 1 :]
    texts = [" " * before + each + " " * 200 for each in (date, other)]
    assert cause_of_texts(*texts) is Cause.VOLATILE_TEXT
    assert cause_of_texts(*reversed(texts)) is Cause.VOLATILE_TEXT
    behind = [" " * before + date + each for each in (" a", " b")]
    assert cause_of_texts(*behind) is Cause.TEXT_CHANGE


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True), (1, 1, True), (1, 2, False), (0.7, 0.699999988079071, True), (0.7, 0.7000001, False),
        (0.1, 0.2, False), (True, 1, False), (1, True, False), (True, True, False), ("1", 1, False), (None, 0, False),
        (1e300, 1e300, True), (1e300, 1e301, False), (1e39, -1e39, False), (3, 3.0000000001, False),
        (2**70, 2.0**70, True), (16777217.0, 16777216.0, True), (16777217, 16777216.0, False), (ABSENT, 1, False),
    ],
)  # fmt: skip
def test_one_number_in_two_forms(one: Any, other: Any, same: bool) -> None:
    assert is_same_number(one, other) is same


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": [1, {"b": 2}]}, ("a", 1, "b"), 2), ({"a": 1}, (), {"a": 1}), ({"a": 1}, ("b",), ABSENT),
        ([1], (1,), ABSENT), ([1], ("a",), ABSENT), (7, ("a",), ABSENT), ({"a": None}, ("a",), None),
        ({"a": None}, ("a", "b"), ABSENT),
    ],
)  # fmt: skip
def test_the_member_at_a_path(value: Any, path: tuple[str | int, ...], expected: Any) -> None:
    assert member(value, path) == expected


def chat(*contents: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}


def part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def tools(*functions: dict[str, Any]) -> dict[str, Any]:
    return {"tools": [{"type": "function", "function": function} for function in functions]}


@pytest.mark.parametrize(
    ("one", "other", "path", "cause"),
    [
        ({"n": 1}, {"n": 1.0}, ("n",), Cause.NUMBER_FORM),
        ({"n": 1}, {"n": 2}, ("n",), Cause.SAMPLING_VALUE),
        ({"k": 1}, {"k": 2}, ("k",), Cause.VALUE_CHANGE),
        ({"metadata": {"a": "b"}}, {"metadata": {"a": "c"}}, ("metadata", "a"), Cause.SAMPLING_VALUE),
        ({"parameters": 1}, {"parameters": {}}, ("parameters",), Cause.SAMPLING_VALUE),
        ({"parameters": {"top_k": 1}}, {"parameters": {"top_k": 2}}, ("parameters", "top_k"), Cause.SAMPLING_VALUE),
        ({"parameters": {"truncate": 1}}, {"parameters": {"truncate": 2}}, ("parameters", "truncate"),
         Cause.VALUE_CHANGE),
        ({"k": None}, {}, ("k",), Cause.NULL_FIELD),
        ({}, {"k": None}, ("k",), Cause.NULL_FIELD),
        ({"k": None}, {"k": 1}, ("k",), Cause.VALUE_CHANGE),
        ({}, {"k": 1}, ("k",), Cause.VALUE_CHANGE),
        ([1], [2], (), Cause.VALUE_CHANGE),
        ({"prompt": "a"}, {"prompt": "ab"}, ("prompt",), Cause.APPENDED),
        ({"prompt": "ab"}, {"prompt": "a"}, ("prompt",), Cause.APPENDED),
        ({"prompt": "ba"}, {"prompt": "ca"}, ("prompt",), Cause.TEXT_CHANGE),
        ({"prompt": "a"}, {"prompt": ["a"]}, ("prompt",), Cause.TEXT_CHANGE),
        *(
            ({field: "a b"}, {field: "a  b"}, (field,), Cause.TEXT_WHITE_SPACE)
            for field in ("system", "inputs", "prompt", "input", "documents")
        ),
        ({"suffix": "a b"}, {"suffix": "a  b"}, ("suffix",), Cause.VALUE_CHANGE),
        (tools({"name": "f", "description": "a b"}), tools({"name": "f", "description": "a  b"}),
         ("tools", 0, "function", "description"), Cause.TEXT_WHITE_SPACE),
        (tools({"name": "f", "description": "a b"}), tools({"name": "g", "description": "a  b"}),
         ("tools", 0, "function", "description"), Cause.TOOL_LIST),
        (tools({"name": "f", "strict": 1}), tools({"name": "f", "strict": 2}),
         ("tools", 0, "function", "strict"), Cause.TOOL_LIST),
        (tools({"name": "f", "strict": "a"}), tools({"name": "f", "strict": 2}),
         ("tools", 0, "function", "strict"), Cause.TOOL_LIST),
        ({"functions": [{"name": "f", "description": "a b"}]}, {"functions": [{"name": "f", "description": "a  b"}]},
         ("functions", 0, "description"), Cause.TEXT_WHITE_SPACE),
        ({"functions": [{"name": "f", "description": "a b"}]}, {"functions": [{"name": "g", "description": "a  b"}]},
         ("functions", 0, "description"), Cause.TOOL_LIST),
        (tools({"name": "f"}), tools({"name": "f"}, {"name": "g"}), ("tools", 1), Cause.TOOL_LIST),
        (chat("a"), chat("a", "b"), ("messages", 1), Cause.APPENDED),
        (chat("a", "b"), chat("a"), ("messages", 1), Cause.APPENDED),
        (chat("a", "b"), chat("b", "c"), ("messages", 0, "content"), Cause.MESSAGE_LIST),
        (chat("b", "c"), chat("a", "b"), ("messages", 0, "content"), Cause.MESSAGE_LIST),
        (chat("x", "a", "b"), chat("x", "b", "a"), ("messages", 1, "content"), Cause.MESSAGE_LIST),
        (chat("b", "b"), chat("a", "c"), ("messages", 0, "content"), Cause.TEXT_CHANGE),
        (chat("b", "a"), chat("b", "b"), ("messages", 1, "content"), Cause.TEXT_CHANGE),
        (chat("b", "b"), chat("b", "a"), ("messages", 1, "content"), Cause.TEXT_CHANGE),
        ({"messages": [{"role": "user"}]}, {"messages": [{"role": "tool"}]}, ("messages", 0, "role"),
         Cause.MESSAGE_LIST),
        (chat("a"), chat([part("a")]), ("messages", 0, "content"), Cause.CONTENT_FORM),
        (chat([part("a")]), chat("a"), ("messages", 0, "content"), Cause.CONTENT_FORM),
        (chat([part("a")]), chat(None), ("messages", 0, "content"), Cause.TEXT_CHANGE),
        (chat([part("a"), part("b")]), chat([part("b"), part("a")]), ("messages", 0, "content", 0, "text"),
         Cause.CONTENT_FORM),
        (chat([part("a"), part("b")]), chat([part("b"), part("c")]), ("messages", 0, "content", 0, "text"),
         Cause.TEXT_CHANGE),
        (chat([part("a b")]), chat([part("a  b")]), ("messages", 0, "content", 0, "text"), Cause.TEXT_WHITE_SPACE),
        ({"messages": [{"name": ["a"], "content": "c"}]}, {"messages": [{"name": "a", "content": ["c"]}]},
         ("messages", 0, "name"), Cause.TEXT_CHANGE),
        ({"messages": {"a": "x y"}}, {"messages": {"a": "x  y"}}, ("messages", "a"), Cause.VALUE_CHANGE),
        ({"messages": "x y"}, {"messages": "x  y"}, ("messages",), Cause.VALUE_CHANGE),
    ],
)  # fmt: skip
def test_the_cause_of_values(one: Any, other: Any, path: tuple[str | int, ...], cause: Cause) -> None:
    assert cause_of_values(one, other, path) is cause


@pytest.mark.parametrize(
    ("text", "form"),
    [("aB3 é", "xX0 x"), ("ÄÖ", "XX"), ("²½", "00"), ("😀\n\x1f", "???"), ('"{}:,', '"{}:,'), ("", ""), ("漢", "x")],
)
def test_the_form_of_a_text(text: str, form: str) -> None:
    assert shape(text) == form
    assert "".join(map(_shape_of, text)) == form  # Those of ASCII are made before the first test.


@given(st.text())
def test_the_form_of_a_text_has_its_length_and_is_its_own(text: str) -> None:
    assert len(shape(text)) == len(text)
    assert shape(text).isascii()


STEP = 16_384


@pytest.mark.parametrize("before", [0, 1, STEP // 2 - 30, STEP // 2, STEP, STEP + 7])
@pytest.mark.parametrize("sign", ["é", "😀", "xé"])
def test_characters_of_a_long_text_are_counted(before: int, sign: str) -> None:
    a, b = (canonical_json({"prompt": sign * before + end}) for end in ("a", "b"))
    found = explain(a, b, api="invoke", prefix_length=9).as_sent
    assert found
    assert found.character_offset == len('{"prompt":"') + before * len(sign)
    assert found.byte_offset == len('{"prompt":"') + before * len(sign.encode())


def test_twenty_bytes_on_both_sides_are_shown() -> None:
    a, b = ("0123456789" * 3 + sign + "abcdefghij" * 3 for sign in "xy")
    found = explain({"prompt": a}, {"prompt": b}, api="invoke", prefix_length=9, redact=False).as_sent
    assert found
    assert (found.a, found.b) == (f"{a[10:30]}x{a[31:50]}", f"{b[10:30]}y{b[31:50]}")


def calls(arguments: str) -> dict[str, Any]:
    return {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}]}


@pytest.mark.parametrize(
    ("one", "other", "cause", "is_of_form"),
    [
        ('{"a": 1}', '{"a":1}', Cause.WHITE_SPACE, True),
        ('{"a":"\\u0061"}', '{"a":"a"}', Cause.ESCAPE_FORM, True),
        ('{"a":1}', '{"a":1.0}', Cause.NUMBER_FORM, True),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', Cause.KEY_ORDER, True),
        ('{"a":1}', '{"a":2}', Cause.TEXT_CHANGE, False),
        ('{"name":1,"description":2}', '{"description":2,"name":1}', Cause.KEY_ORDER, True),
    ],
)
def test_arguments_that_differ_in_form_have_a_remedy_of_their_own(
    one: str, other: str, cause: Cause, is_of_form: bool
) -> None:
    found = explain(calls(one), calls(other), api="invoke", prefix_length=9)
    assert (found.cause, found.remedy) == (cause, ARGUMENTS_REMEDY if is_of_form else cause.remedy)
    assert found.as_sent
    assert found.as_sent.path == "messages[0].tool_calls[0].function.arguments"


def test_white_space_elsewhere_has_the_usual_remedy() -> None:
    for one, other in (('{"a": 1}', '{"a":1}'), ('{"a":1}', '{"a": 1}')):
        found = explain(one, other, api="invoke", prefix_length=9)
        assert (found.cause, found.remedy) == (Cause.WHITE_SPACE, Cause.WHITE_SPACE.remedy)


@pytest.mark.parametrize(
    ("ids", "cause", "affected"),
    [
        (("", ""), Cause.IDENTICAL, Affected.NOTHING),
        (("a", "a"), Cause.IDENTICAL, Affected.NOTHING),
        (("a", "b"), Cause.PREFIX_AWARE_ID, Affected.ROUTING_KEY),
        (("", "b"), Cause.PREFIX_AWARE_ID, Affected.ROUTING_KEY),
    ],
)
def test_ids_tell_equal_requests_apart(ids: tuple[str, str], cause: Cause, affected: Affected) -> None:
    found = explain(chat("a"), chat("a"), api="openai", prefix_length=9, prefix_aware_ids=ids)
    assert (found.cause, found.affected, found.remedy) == (cause, affected, cause.remedy)
    assert found.is_harmless is (affected is Affected.NOTHING)


@pytest.mark.parametrize(
    ("one", "other", "is_harmless"),
    [
        (chat("a" * 99 + "b"), chat("a" * 99 + "c"), True),
        (chat("b" + "a" * 99), chat("c" + "a" * 99), False),
        (chat("a", "b"), chat("a", "c"), False),
    ],
)
def test_a_difference_beyond_the_window_is_harmless(one: Any, other: Any, is_harmless: bool) -> None:
    assert explain(one, other, api="openai", prefix_length=9).is_harmless is is_harmless
    assert json.dumps(one) != json.dumps(other)


@pytest.mark.parametrize(
    ("one", "other", "affected"),
    [
        ({"prompt": "a", "k": 1}, {"prompt": "ab", "k": 1}, Affected.ROUTING_KEY),
        ({"prompt": "a", "k": 1}, {"prompt": "ab", "k": 2}, Affected.BOTH),
        ({"inputs": "a"}, {"inputs": "ab"}, Affected.ROUTING_KEY),
        ({"prompt": ["a"]}, {"prompt": ["a", "b"]}, Affected.BOTH),
        ({"prompt": ["a"]}, {"prompt": "a"}, Affected.BOTH),
        (chat("a"), chat("a", "b"), Affected.ROUTING_KEY),
        (chat("a") | {"n": 1}, chat("a", "b") | {"n": 2}, Affected.ROUTING_KEY),
        (chat("a") | {"k": None}, chat("a"), Affected.BOTH),
        ({"messages": [{"role": "user", "content": "a", "refusal": None}]}, chat("a"), Affected.ROUTING_KEY),
        (chat([part("a")]), chat("a"), Affected.ROUTING_KEY),
        (calls('{"a": 1}'), calls('{"a":1}'), Affected.ROUTING_KEY),
        ({"input": "a"}, {"input": "ab"}, Affected.BOTH),
        ({"k": {"a": 1, "b": 2}}, {"k": {"b": 2, "a": 1}}, Affected.BOTH),
        ({"inputs": "a", "parameters": 1}, {"inputs": "a", "parameters": {}}, Affected.ROUTING_KEY),
        ({"k": 1, "inputs": "a", "parameters": {"adapter_id": "b"}},
         {"k": 1.0, "inputs": "c", "parameters": {"adapter_id": "b"}}, Affected.BOTH),
        (chat([part("a")], "b"), chat("a", "b"), Affected.ROUTING_KEY),
        (chat([part("a")], "b"), chat("a", "c"), Affected.BOTH),
        (chat([part("a")]), chat("a", "b"), Affected.ROUTING_KEY),
    ],
)  # fmt: skip
def test_what_the_engine_reads_of_two_requests(one: Any, other: Any, affected: Affected) -> None:
    assert explain(one, other, api="invoke", prefix_length=99).affected is affected
