"""The quick ways to read and write requests are taken where they may be, and nowhere else.

A slower way gives the same bytes, so no test of the bytes sees whether the quick one is taken.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest

from warmroute.prefix import FieldOrder, canonical_json, field_order, json_writer
from warmroute.prefix import canonical as canonical_module
from warmroute.prefix.as_sent import as_sent, as_sent_beside
from warmroute.prefix.canonical_error import has_lone_surrogate
from warmroute.prefix.common_part import common_beginning, common_end
from warmroute.prefix.field_order import fields_in_order, has_field_order, in_order, member_in_order
from warmroute.prefix.json_reader import DoubtError, looks_spaced, read_quickly, read_strictly
from warmroute.prefix.json_writer import NumberText, _number, has_one_notation, is_plain, write
from warmroute.prefix.plain_chat import _are_texts_in_order, _usual_message, write_plain_chat

ORDER = FieldOrder()
TEXT = {"role": "user", "content": "Hi"}
RESULT = {"role": "tool", "content": "4", "tool_call_id": "c"}
CALL = {"type": "function", "function": {"name": "f", "arguments": "{}"}, "id": "c"}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def calls_of(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """What a function of the module ``canonical`` is called with from now on."""
    calls: list[Any] = []
    function = getattr(canonical_module, name)
    monkeypatch.setattr(canonical_module, name, lambda *given: calls.append(given[0]) or function(*given))
    return calls


@pytest.mark.parametrize("text", ['{"a":1}', b'{"messages":[]}', "[]", '"a:b"'])
def test_compact_text_is_read_by_orjson_alone(text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    others = calls_of(monkeypatch, "read_quickly")
    assert canonical_json(text) == (text.encode() if isinstance(text, str) else text)
    assert others == []


@pytest.mark.parametrize("text", ['{"a": 1}', b'{"a": 1}', '{"a":\n1}'])
def test_spaced_text_is_not_read_by_orjson_first(text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compact, strict = calls_of(monkeypatch, "of_compact"), calls_of(monkeypatch, "read_strictly")
    assert canonical_json(text) == b'{"a":1}'
    assert (compact, strict) == ([], [])


@pytest.mark.parametrize(
    ("text", "is_spaced"),
    [
        ('{"a": 1}', True), ('{"a":1}', False), ('{"a" : 1}', True), ('{"a":1,"b": 2}', False), ("[1, 2]", False),
        ('{\n "a":\t1}', True), ('{"é": 1}', True), ('{"\ud800": 1}', True), ('"' + "x" * 62 + '": 1', False),
    ],
)  # fmt: skip
def test_text_looks_spaced_by_what_follows_its_first_colon(text: str, is_spaced: bool) -> None:
    assert looks_spaced(text) is is_spaced
    assert looks_spaced(text.encode(errors="replace")) is is_spaced


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "[-Infinity]", "1e999", "[1,", '{"a":1,"a":1}', b'"\xff"', "[" * 100_000]
)
def test_quick_reading_leaves_what_is_doubtful(text: Any) -> None:
    with pytest.raises(DoubtError):
        read_quickly(text)


@pytest.mark.parametrize("read", [read_quickly, read_strictly])
@pytest.mark.parametrize(
    ("digits", "kind"),
    [
        ("18446744073709551615", int), ("-9223372036854775808", int), ("-10000000000000000000", NumberText),
        ("184467440737095516150", NumberText), ("9" * 5_000, NumberText), ("1.0", float), ("1e2", float),
    ],
)  # fmt: skip
def test_a_number_has_one_type_however_it_is_read(read: Any, digits: str, kind: type) -> None:
    assert type(read(digits)) is kind
    assert write(read(digits)) == (b"100.0" if digits == "1e2" else digits.encode())


@pytest.mark.parametrize(
    ("number", "is_quick"), [(-(2**63), True), (-(2**63) - 1, False), (2**63 - 1, True), (2**63, False), (0, True)]
)
def test_whole_numbers_of_eight_bytes_are_left_to_orjson(number: int, is_quick: bool) -> None:
    assert isinstance(_number(number, ""), int) is is_quick
    assert write([number, 1e-9]) == b"[%d,1e-09]" % number


def test_plain_values_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(json_writer, "_exact")
    assert write({"a": [1, 0.5, "é", None]}) == '{"a":[1,0.5,"é",null]}'.encode()


@pytest.mark.parametrize(
    ("number", "is_one"),
    [
        (0.0, True), (-0.0, True), (1e-4, True), (-1e-4, True), (9.9e-5, False), (0.5, True), (1.0, True),
        (9.9e15, True), (-9.9e15, True), (1e16, False), (-1e16, False), (math.nan, False), (math.inf, False),
    ],
)  # fmt: skip
def test_numbers_that_everyone_writes_alike(number: float, is_one: bool) -> None:
    assert has_one_notation(number) is is_one
    assert is_plain(number, 0) is is_plain([number], 1) is is_one


class Words(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "depth", "plain"),
    [
        ("a", 0, True), (None, 0, True), (True, 0, True), (7, 0, True), (Words("a"), 0, False), (b"a", 0, False),
        ([], 0, False), ([], 1, True), ((), 1, True), ({}, 1, True), ({}, 0, False), ([[]], 1, False), ([[]], 2, True),
        ({"a": {"b": ["c"]}}, 3, True), ({"a": {"b": ["c"]}}, 2, False), ([1, {"a": 1e-9}], 9, False),
        ([1, {"a": Words("a")}], 9, False), (MappingProxyType({}), 9, False), (["a", {1}], 9, False),
        ([["a"], ["b", [1]]], 3, True), ([["a"], ["b", [1]]], 2, False), ([1.5, "a", [0.25]], 2, True),
    ],
)  # fmt: skip
def test_what_orjson_writes_canonically_or_refuses(value: Any, depth: int, plain: bool) -> None:
    assert is_plain(value, depth) is plain


@pytest.mark.parametrize(
    ("text", "has_one"), [("a", False), ("é", False), ("😀", False), ("\ud800", True), ("é\udfff", True), ("", False)]
)
def test_half_of_a_surrogate_pair_is_seen(text: str, has_one: bool) -> None:
    assert has_lone_surrogate(text) is has_one


@pytest.mark.parametrize(
    ("messages", "are"),
    [
        ([], True), ([TEXT], True), ([TEXT, TEXT], True), ([{"content": "Hi", "role": "user"}], False),
        ([TEXT, {"role": "user", "content": None}], False), ([TEXT, {"role": 7, "content": "Hi"}], False),
        ([TEXT, RESULT], False), ([{"role": "user", "name": "x"}], False), ([TEXT, 7], False), (["ro"], False),
        ([("role", "content")], False), ([{"role": "user"}], False), ([TEXT, {"content": "a", "role": "b"}], False),
    ],
)  # fmt: skip
def test_messages_that_are_texts_in_order(messages: list[Any], are: bool) -> None:
    assert _are_texts_in_order(messages) is are


def reversed_members(value: dict[str, Any]) -> dict[str, Any]:
    return {
        name: reversed_members(part)
        if isinstance(part, dict)
        else [reversed_members(each) for each in part]
        if isinstance(part, list)
        else part
        for name, part in reversed(value.items())
    }


@pytest.mark.parametrize("message", [TEXT, RESULT, CALLING, {"role": "assistant", "content": None}])
def test_usual_messages_are_put_in_order_at_once(message: dict[str, Any]) -> None:
    for given in (message, reversed_members(message)):
        assert write(_usual_message(given)) == write(message)


@pytest.mark.parametrize(
    "message",
    [
        7, "role", ["role", "content"], MappingProxyType(TEXT), {}, {"role": "user"}, {"content": "a", "name": "b"},
        {**TEXT, "role": None}, {**TEXT, "role": 7}, {**TEXT, "content": 7}, {**TEXT, "content": []},
        {**TEXT, "name": "x"}, {**RESULT, "tool_call_id": 7}, {**RESULT, "name": "x"}, {**CALLING, "name": "x"},
        {**RESULT, "content": []}, {**CALLING, "tool_calls": None}, {**CALLING, "tool_calls": (CALL,)},
        *(
            {**CALLING, "tool_calls": [call]}
            for call in (
                {**CALL, "index": 0}, {**CALL, "type": 7}, {**CALL, "id": 7}, {**CALL, "id": None},
                MappingProxyType(CALL), {**CALL, "function": MappingProxyType(CALL["function"])},
                {**CALL, "function": {**CALL["function"], "x": 1}}, {**CALL, "function": {"name": "f"}},
                {**CALL, "function": {"name": 7, "arguments": "{}"}},
                {**CALL, "function": {"name": "f", "arguments": {}}},
            )
        ),
    ],
)  # fmt: skip
def test_other_messages_are_left_to_a_closer_look(message: Any) -> None:
    with pytest.raises((LookupError, TypeError)):
        _usual_message(message)


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": []},
        {"messages": [TEXT], "model": "m", "n": 1, "stream": True, "stop": None},
        {"n": 1, "messages": [reversed_members(TEXT), RESULT, reversed_members(CALLING)]},
        {"messages": [TEXT, {"role": "user", "content": [{"text": "a", "type": "text"}]}], "stop": ["a"]},
        {"messages": [TEXT], "tools": [{"function": {"name": "f"}, "type": "function"}], "functions": []},
        {"temperature": 0.5, "messages": [TEXT, 7, "odd", ["x"]], "metadata": {"a": [1]}},
    ],
)
def test_a_plain_chat_is_written_at_once(request_: dict[str, Any]) -> None:
    assert write_plain_chat(request_, ORDER) == write(in_order(request_, ORDER))


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"prompt": "Hi"},
        {"messages": (TEXT,)},
        {"messages": [TEXT, 1e-9]},
        {"messages": [TEXT, MappingProxyType(TEXT)]},
        {"messages": [TEXT], "temperature": 1e-9},
        {"messages": [TEXT], "tools": [1e-9]},
        {"messages": [TEXT], "n": 2**70},
        {"messages": [{**TEXT, "content": "\ud800"}]},
        {"messages": [Words("ab"), TEXT]},
        {"messages": [OrderedDict(TEXT)]},
        {"messages": [TEXT], 7: "x"},
    ],
)
def test_any_other_request_is_left_to_a_closer_look(request_: dict[str, Any]) -> None:
    assert write_plain_chat(request_, ORDER) is None


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("name", "levels"), [("metadata", 63), ("tools", 63), ("messages", 63)], ids=["metadata", "tools", "messages"]
)
def test_a_plain_chat_is_as_deep_as_any_request(name: str, levels: int) -> None:
    for more, is_quick in ((0, True), (1, False)):
        request_: dict[str, Any] = {"messages": [], name: nested(levels + more)}
        assert (write_plain_chat(request_, ORDER) is not None) is is_quick


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"model": "m", "messages": [TEXT], "n": 1},
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [CALL]}]},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"b": 1, "a": 2}}}], "messages": []},
        {"tools": {"a": 1}, "messages": 7},
    ],
)
def test_a_request_in_order_stays_the_same_object(request_: dict[str, Any]) -> None:
    assert in_order(request_, ORDER) is request_
    assert list(fields_in_order(tuple(request_), ORDER)) == list(request_)


def test_what_need_not_move_is_not_copied() -> None:
    tools, message = [{"type": "function", "function": {"name": "f"}}], {"content": "Hi", "role": "user"}
    ordered = in_order({"messages": [TEXT, message], "tools": tools}, ORDER)
    assert ordered["tools"] is tools
    assert ordered["messages"][0] is TEXT
    assert list(ordered) == ["tools", "messages"]
    assert list(ordered["messages"][1]) == ["role", "content"]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("tools", [{"function": {}, "type": "function"}], [{"type": "function", "function": {}}]),
        ("tools", ({"function": 1, "type": 2}, 7), [{"type": 2, "function": 1}, 7]),
        ("functions", [{"description": 1, "name": 2}], [{"name": 2, "description": 1}]),
        ("tools", {"function": 1, "type": 2}, {"function": 1, "type": 2}),
        ("metadata", [{"b": 1, "a": 2}], [{"b": 1, "a": 2}]),
    ],
)
def test_a_member_is_put_in_order_as_in_its_request(name: str, value: Any, expected: Any) -> None:
    assert write(member_in_order(name, value, ORDER)) == write(expected)
    assert write(in_order({name: value}, ORDER)) == write({name: expected})


@pytest.mark.parametrize(
    ("path", "has"),
    [
        ((), True), (("messages",), False), (("messages", 0), True), (("messages", "x"), False),
        (("messages", 0, "content"), False), (("messages", 0, "content", 1), True),
        (("messages", 0, "content", 1, "image_url"), False), (("messages", 0, "tool_calls", 2), True),
        (("messages", 0, "tool_calls", 2, "function"), True), (("messages", 0, "tool_calls", 2, "id"), False),
        (("messages", 0, "function_call"), True), (("messages", 0, "function_call", "arguments"), False),
        (("tools", 0), True), (("tools", 0, "function"), True), (("tools", 0, "function", "parameters"), False),
        (("tools", 0, "function", "parameters", "a"), False), (("functions", 3), True), (("parameters",), False),
        ((0,), False), ((0, "messages"), False), (("metadata", "a"), False), (("messages", 0, 1), False),
    ],
)  # fmt: skip
def test_where_canonical_order_arranges_members(path: tuple[str | int, ...], has: bool) -> None:
    assert has_field_order(path) is has


def test_few_plans_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    order: Any = field_order._Order(("b", "a"), ("z",))
    monkeypatch.setattr(field_order, "_MAX_PLANS", 3)
    for count in (1, 2, 3, 1, 2):
        fields = ("z", "a", f"x{len(order.plans)}{count}", "b")
        assert field_order._plan(fields, order).fields == ("b", "a", fields[2], "z")
        assert fields in order.plans
        assert len(order.plans) == count
        assert field_order._plan(fields, order) is order.plans[fields]


@pytest.mark.parametrize(("size", "is_kept"), [(2_048, True), (2_049, False)])
def test_plans_of_long_names_are_not_kept(size: int, is_kept: bool) -> None:
    order: Any = field_order._Order(())
    fields = ("x" * (size - 1), "y")
    assert field_order._plan(fields, order).fields == fields
    assert (fields in order.plans) is is_kept


CANONICAL = b'{"messages":[],"n":1}'


@pytest.mark.parametrize(
    ("request_", "text", "is_compact", "is_canonical"),
    [
        (CANONICAL, CANONICAL, True, True),
        (CANONICAL.decode(), CANONICAL, True, True),
        (b'{"n":1,"messages":[]}', b'{"n":1,"messages":[]}', True, False),
        (b'{"n": 1,"messages":[]}', b'{"n": 1,"messages":[]}', False, False),
        (rb'{"n":"\u0061"}', rb'{"n":"\u0061"}', False, False),
        (b'{"n":1,"messages":[1.00]}', b'{"n":1,"messages":[1.00]}', False, False),
        (b'{"n":1e1,"messages":[]}', b'{"n":1e1,"messages":[]}', False, False),
        (b'{"n":1.0e2}', b'{"n":1.0e2}', False, False),  # As long as its canonical form.
        ({"n": 1, "messages": []}, b'{"n":1,"messages":[]}', True, False),
    ],
)
def test_a_request_as_sent_is_known_to_be_compact_or_canonical(
    request_: Any, text: bytes, is_compact: bool, is_canonical: bool
) -> None:
    found = as_sent(request_, ORDER)
    assert (found.text, found.is_compact, found.is_canonical) == (text, is_compact, is_canonical)
    assert write(found.value) == write(read_strictly(text))


LONG = "x" * 20_000


def chat(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize(
    ("one", "other", "is_quick"),
    [
        (canonical_json(chat(LONG + "1")), canonical_json(chat(LONG + "2")), True),
        (canonical_json(chat(LONG + "1")), canonical_json(chat(LONG + "22")), True),
        (canonical_json(chat(LONG + "1")), canonical_json(chat(LONG + "2")).decode(), True),
        (canonical_json(chat(LONG + "1")), rb"%b" % canonical_json(chat(LONG + "2")).replace(b"2", rb"\u0032"), True),
        (b'{"n":1, "a":"b","c":[1,2]}', b'{"n":1, "a":"d","c":[1,2]}', True),
        (canonical_json(chat(LONG + "1")), canonical_json(chat(LONG + "2", "more")), False),
        (canonical_json(chat(LONG + "1", "a")), canonical_json(chat(LONG + "2", "b")), False),
        (canonical_json(chat(LONG + "1") | {"n": 1}), canonical_json(chat(LONG + "1") | {"n": 2}), False),
        (canonical_json({"k": LONG}), canonical_json({"j": LONG}), False),
        (canonical_json({f"k{n}": n for n in range(99)} | {"a": "b"}),
         canonical_json({f"k{n}": n for n in range(99)} | {"a": "c"}), False),
    ],
)  # fmt: skip
def test_of_two_requests_that_differ_in_one_text_only_that_is_read(one: bytes, other: Any, is_quick: bool) -> None:
    neighbour = as_sent(one, ORDER)
    found, place = as_sent_beside(other, neighbour, ORDER)
    assert (place is not None) is is_quick
    expected = as_sent(other, ORDER)
    assert found.text == expected.text
    assert write(found.value) == write(expected.value)
    assert (found.is_compact, found.is_canonical) == (expected.is_compact, expected.is_canonical)


STEP = 16_384


@pytest.mark.parametrize("same", [0, 1, STEP - 1, STEP, STEP + 1, 2 * STEP - 1, 2 * STEP, 2 * STEP + 1])
@pytest.mark.parametrize("more", [0, 1, STEP])
def test_common_parts_around_the_longest_slice(same: int, more: int) -> None:
    one, other = "x" * same + "1" * more, "x" * same + "2" * more
    assert common_beginning(one, other) == common_beginning(one.encode(), other.encode()) == same
    assert common_beginning(one + "x", other) == same
    assert common_end(one[::-1], other[::-1], same + more) == same
    assert common_end(one[::-1], other[::-1], max(same - 1, 0)) == max(same - 1, 0)
