"""Canonical JSON is the same value, and the same bytes for every way to write a request."""

import enum
import gc
import json
import pickle
import random
import weakref
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.prefix import CanonicalJsonError, canonical_json
from warmroute.prefix.canonical import of_compact
from warmroute.prefix.canonical_error import MAX_DEPTH
from warmroute.prefix.field_order import HEAD, TAIL, FieldOrder, in_order
from warmroute.prefix.json_reader import read_quickly, read_strictly
from warmroute.prefix.json_writer import write

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=12
)
objects = st.dictionaries(texts, values, max_size=3)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


called = optional(name=texts, arguments=texts | objects, other=values)
tool_calls = st.lists(optional(id=texts, type=texts, function=called | texts, index=st.integers()), max_size=2)
parts = optional(type=texts, text=texts, image_url=objects)
messages = st.lists(
    optional(
        role=texts,
        content=st.none() | texts | st.lists(parts, max_size=2),
        name=texts,
        tool_call_id=texts,
        tool_calls=tool_calls,
        function_call=called,
    ),
    max_size=4,
)
plain_messages = st.lists(st.fixed_dictionaries({"role": texts, "content": texts}), max_size=4)
odd_texts = st.one_of(texts, texts, texts, texts, values)
usual_calls = st.fixed_dictionaries(
    {
        "type": odd_texts,
        "function": st.fixed_dictionaries({"name": odd_texts, "arguments": odd_texts}) | values,
        "id": odd_texts,
    },
    optional={"index": st.integers()},
)
agent_messages = st.lists(
    st.fixed_dictionaries({"role": odd_texts, "content": odd_texts | st.none()})
    | st.fixed_dictionaries({"role": odd_texts, "content": odd_texts, "tool_call_id": odd_texts})
    | st.fixed_dictionaries({"role": odd_texts, "content": st.none(), "tool_calls": st.lists(usual_calls) | values}),
    max_size=4,
)
"""What an agent sends; now and then with something else than text in it."""
functions = optional(name=texts, description=texts, parameters=objects, strict=st.booleans())
tools = st.lists(optional(type=texts, function=functions | texts, name=texts), max_size=3)
requests = optional(
    messages=plain_messages | messages | values,
    tools=tools | values,
    functions=st.lists(functions, max_size=2),
    model=texts,
    inputs=texts,
    parameters=objects,
    prompt=texts,
    input=st.lists(texts, max_size=2),
    temperature=st.floats(0, 2),
    seed=st.integers(),
    stream=st.booleans(),
    metadata=objects,
    chat_template_kwargs=objects,
    unheard_of=values,
)


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal with their types: 1, 1.0, True and -0.0 are different."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


PARTS: dict[str, Any] = {
    "messages": {"content": {}, "tool_calls": {"function": {}}, "function_call": {}},
    "tools": {"function": {}},
    "functions": {},
}
"""The objects in a request whose members have no visible order; every one of the others has."""
LISTS = {"messages", "tools", "functions", "content", "tool_calls"}


def rewritten(value: Any, rng: random.Random, parts: dict[str, Any] = PARTS) -> Any:
    """The request with every order that no chat template shows shuffled."""
    if type(value) is not dict:
        return value
    members = dict(value)
    for field, inner in parts.items():
        member = members.get(field)
        if field in LISTS and type(member) is list:
            members[field] = [rewritten(item, rng, inner) for item in member]
        elif field not in LISTS and field in members:
            members[field] = rewritten(member, rng, inner)
    return dict(rng.sample(list(members.items()), len(members)))


@given(requests | values)
def test_the_value_stays_the_same(request_: Any) -> None:
    if isinstance(request_, (dict, list)):
        assert same(json.loads(canonical_json(request_)), request_)
    assert same(json.loads(canonical_json(json.dumps(request_))), request_)


@given(requests)
def test_canonical_json_of_itself_is_itself(request_: dict[str, Any]) -> None:
    once = canonical_json(request_)
    assert canonical_json(once) == once
    assert canonical_json(once.decode()) == once
    assert canonical_json(json.loads(once)) == once


@given(requests, st.randoms(use_true_random=False), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_equal_requests_have_equal_bytes(
    request_: dict[str, Any], rng: random.Random, escaped: bool, indent: int | str | None
) -> None:
    text = json.dumps(rewritten(request_, rng), ensure_ascii=escaped, indent=indent)
    assert canonical_json(text) == canonical_json(text.encode()) == canonical_json(request_)


@given(objects, objects, st.lists(texts, max_size=4, unique=True))
def test_what_templates_render_keeps_its_order(
    schema: dict[str, Any], arguments: dict[str, Any], names: list[str]
) -> None:
    request_ = {
        "tools": [{"function": {"parameters": schema, "name": name}, "type": "function"} for name in names],
        "messages": [{"tool_calls": [{"function": {"arguments": arguments, "name": "f"}}], "role": "assistant"}],
    }
    sent = json.loads(canonical_json(request_))
    assert [tool["function"]["name"] for tool in sent["tools"]] == names
    for tool in sent["tools"]:
        assert json.dumps(tool["function"]["parameters"]) == json.dumps(schema)
    assert json.dumps(sent["messages"][0]["tool_calls"][0]["function"]["arguments"]) == json.dumps(arguments)


@given(requests)
def test_the_request_stays_untouched(request_: dict[str, Any]) -> None:
    before = json.dumps(request_)
    canonical_json(request_)
    assert json.dumps(request_) == before


@given(values)
def test_quick_and_strict_reading_agree(value: Any) -> None:
    text = json.dumps(value)
    assert write(read_quickly(text)) == write(read_strictly(text)) == write(value)


@given(requests | values)
def test_compact_text_is_read_exactly_or_left_to_other_reading(request_: Any) -> None:
    for text in (write(request_), canonical_json(json.dumps(request_))):
        if found := of_compact(text):
            assert same(found[0], json.loads(text))
            assert found[1] == canonical_json(json.dumps(request_))


@pytest.mark.parametrize(
    "text", ['{"a":1e-07,"é":"\\n","b":[18446744073709551615]}', '{"stream":1,"messages":[]}', "[]"]
)
def test_what_is_written_compactly_is_read_as_such(text: str) -> None:
    assert of_compact(text) == of_compact(text.encode()) == (json.loads(text), canonical_json(json.loads(text)))


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '{"a":1 }', "[1,2] ", "[18446744073709551616]", "[-0]", r'["\u0061"]']
)
def test_text_that_orjson_would_change_is_left_to_other_reading(text: str) -> None:
    assert of_compact(text) is of_compact(text.encode()) is None


@given(requests, st.data())
def test_truncated_text_is_refused_with_an_offset_inside(request_: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(request_)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(cut)
    assert caught.value.offset is not None
    assert 0 <= caught.value.offset <= len(cut)


@given(st.text('{}[]":,\\u0123456789.eE+-truefalsn \tNaIity\ud83d\ude00é', max_size=20))
def test_text_is_accepted_exactly_when_json_is_unambiguous(text: str) -> None:
    try:
        expected = json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse)
        json.dumps(expected, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        with pytest.raises(CanonicalJsonError):
            canonical_json(text)
    else:
        assert same(json.loads(canonical_json(text)), expected)


def _pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) < len(members):
        raise ValueError
    return dict(members)


def _refuse(_: str) -> None:
    raise ValueError


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (
            {
                "temperature": 0.7,
                "messages": [{"content": "Hi", "role": "user"}],
                "stream": True,
                "tool_choice": "auto",
                "seed": 7,
                "tools": [{"function": {"parameters": {"b": 1, "a": 2}, "name": "f"}, "type": "function"}],
                "model": "m",
            },
            (
                '{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":{"b":1,"a":2}}}],'
                '"messages":[{"role":"user","content":"Hi"}],"tool_choice":"auto","temperature":0.7,"stream":true,"seed":7}'
            ),
        ),
        (
            {"stream": False, "parameters": {"top_p": 1.0}, "inputs": "Hi"},
            '{"inputs":"Hi","parameters":{"top_p":1.0},"stream":false}',
        ),
        ({"max_tokens": 1, "prompt": "Hi", "model": "m"}, '{"model":"m","prompt":"Hi","max_tokens":1}'),
        (
            {"user": "u", "encoding_format": "float", "input": ["é"]},
            '{"input":["é"],"encoding_format":"float","user":"u"}',
        ),
        (
            {
                "messages": [
                    {"tool_calls": [{"id": "1", "function": {"arguments": "{}", "name": "f"}, "type": "function"}]}
                ]
            },
            '{"messages":[{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"1"}]}]}',
        ),
    ],
    ids=["chat", "inputs", "prompt", "embeddings", "tool call"],
)
def test_field_order_version_1(request_: dict[str, Any], expected: str) -> None:
    assert canonical_json(request_).decode() == expected


@pytest.mark.parametrize("place", ["before_messages", "after_messages"])
def test_tools_stand_where_they_are_asked_to(place: Any) -> None:
    body = {"n": 1, "tools": [], "functions": [], "messages": [], "prompt": "", "model": "m", "tool_choice": "auto"}
    found = list(json.loads(canonical_json(body, order=FieldOrder(tools=place))))
    if place == "before_messages":
        assert found == ["model", "tools", "functions", "messages", "prompt", "tool_choice", "n"]
    else:
        assert found == ["model", "messages", "prompt", "tools", "functions", "tool_choice", "n"]


@given(requests, st.sampled_from(["before_messages", "after_messages"]))
def test_every_order_has_the_same_value(request_: dict[str, Any], place: Any) -> None:
    order = FieldOrder(tools=place)
    written = canonical_json(request_, order=order)
    assert same(json.loads(written), request_)
    assert canonical_json(written, order=order) == written


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"tools": "last"}, "tools"), ({"tools": []}, "tools"), ({"tools": None}, "tools"), ({"tools": {}}, "tools"),
        ({"version": 2}, "version"), ({"version": True}, "version"), ({"version": [1]}, "version"),
    ],
)  # fmt: skip
def test_unknown_orders_are_refused(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        FieldOrder(**settings)
    assert [finding.path for finding in caught.value.findings] == [path]


@pytest.mark.parametrize(
    "settings", [{"order": "before_messages"}, {"order": None}, {"prompt_changes": {"sort_tools": 1}}]
)
@pytest.mark.parametrize("request_", [{"messages": []}, "{}", b'{"a": 1}', []])
def test_settings_of_another_type_are_named(request_: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        canonical_json(request_, **settings)
    assert [finding.path for finding in caught.value.findings] == list(settings)


def test_names_that_equal_others_do_not_change_how_those_are_written() -> None:
    for names in (["zz_role", "zz_content"], ["zz_content", "zz_role"]):
        keys = [Words(name) for name in names]
        assert canonical_json({"messages": [dict.fromkeys(keys, "x")]})
        written = canonical_json({"messages": [dict.fromkeys(names, "x")]})
        assert written == b'{"messages":[{"zz_content":"x","zz_role":"x"}]}'
        assert all(type(name) is str for name in in_order(dict.fromkeys(names), FieldOrder()))


class Name(str):
    """A key whose life can be watched."""

    __slots__ = ("__weakref__",)


@pytest.mark.parametrize("names", [["x" * 100_000], [f"x{n}" for n in range(5_000)]])
def test_no_huge_list_of_names_is_kept(names: list[str]) -> None:
    fields: dict[str, Any] = {Name(name): 1 for name in names}
    assert list(in_order(fields, FieldOrder())) == sorted(names)
    last = weakref.ref(next(iter(fields)))
    del fields
    gc.collect()
    assert last() is None


@given(requests)
def test_a_plain_chat_is_written_as_any_other_mapping(request_: dict[str, Any]) -> None:
    assert canonical_json(request_) == canonical_json(MappingProxyType(request_))


@given(agent_messages, st.randoms(use_true_random=False))
def test_the_chat_of_an_agent_is_written_as_any_other_mapping(messages_: list[Any], rng: random.Random) -> None:
    request_ = {"messages": messages_}
    written = canonical_json(rewritten(request_, rng))
    assert written == canonical_json(MappingProxyType(request_)) == canonical_json(json.dumps(request_))
    assert same(json.loads(written), request_)


@pytest.mark.parametrize(
    "message",
    [
        {}, {"role": "user"}, {"role": "user", "name": "x"}, {"role": "user", "content": 1e-9},
        {"role": 1e-9, "content": ""}, {"content": "", "role": "user"}, {"role": "user", "content": "", "name": "x"},
        ["role", "content"], "ro", 1e-9, None,
    ],
)  # fmt: skip
def test_odd_messages_among_plain_ones(message: Any) -> None:
    request_ = {"messages": [{"role": "user", "content": "Hi"}, message, {"role": "user", "content": "Hi"}]}
    written = canonical_json(request_)
    assert same(json.loads(written), request_)
    assert written == canonical_json(json.dumps(request_))
    assert b"1e-9" not in written


def test_every_listed_field_has_its_place() -> None:
    fields = [*HEAD, "another", "yet_another", *TAIL]
    assert len(set(fields)) == len(fields)
    assert list(in_order(dict.fromkeys(reversed(fields)), FieldOrder())) == fields


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e-4, "0.0001"), (1e-5, "1e-05"), (1.5e-7, "1.5e-07"),
        (5e-324, "5e-324"), (1e15, "1000000000000000.0"), (1e16, "1e+16"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2**53 + 1, "9007199254740993"), (2**64, "18446744073709551616"), (-(10**30), "-1" + "0" * 30),
    ],
)  # fmt: skip
def test_each_number_has_one_notation(number: float, expected: str) -> None:
    assert canonical_json([number]).decode() == f"[{expected}]"
    assert canonical_json(f"[{expected}]").decode() == f"[{expected}]"


@pytest.mark.parametrize("text", ["[-0]", '{"n":-0}', '{"n": -0, "seed": 18446744073709551616}'])
def test_a_whole_zero_has_no_sign(text: str) -> None:
    assert canonical_json(text) == canonical_json(text.encode()) == canonical_json(text.replace("-0", "0"))
    assert canonical_json(text) == canonical_json(json.loads(text))
    assert canonical_json(text) != canonical_json(text.replace("-0", "-0.0"))


def test_numbers_beyond_python_s_digit_limit_are_exact() -> None:
    expected = b"[-1" + b"0" * 5_000 + b"]"
    assert canonical_json([-(10**5_000)]) == canonical_json(expected) == expected


def test_text_is_raw_utf8_and_never_normalised() -> None:
    text = 'é e\u0301 \u2028 \x7f / 😀 \x00 \n " \\'
    assert canonical_json([text]) == '["é e\u0301 \u2028 \x7f / 😀 \\u0000 \\n \\" \\\\"]'.encode()


class Role(enum.StrEnum):
    USER = "user"


class Count(enum.IntEnum):
    ONE = 1


class Words(str):
    __slots__ = ()


def test_subclasses_and_other_mappings_are_what_they_hold() -> None:
    request_ = MappingProxyType({Words("messages"): ({"role": Role.USER, "content": Words("Hi")},), "n": Count.ONE})
    assert canonical_json(request_) == b'{"messages":[{"role":"user","content":"Hi"}],"n":1}'


def test_members_reordered_inside_an_ordered_dict_do_not_matter() -> None:
    message = OrderedDict(role="user", content="Hi")
    message.move_to_end("role")
    assert canonical_json({"messages": [message]}) == b'{"messages":[{"role":"user","content":"Hi"}]}'


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("extra", [1.5, 1e-9], ids=["plain", "exact"])
def test_depth_is_limited(extra: float) -> None:
    assert canonical_json([extra, *nested(MAX_DEPTH)])
    with pytest.raises(CanonicalJsonError, match="deeper than 64"):
        canonical_json([extra, nested(MAX_DEPTH)])


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ({"messages": [{"role": "user", "content": "\ud800 secret"}]}, "messages[0].content"),
        ({"messages": [{"content": [{"type": "text", "text": "\udc00"}]}]}, "messages[0].content[0].text"),
        ({"messages": [{"role": "user", "content": float("nan")}]}, "messages[0].content"),
        ({"temperature": float("inf")}, "temperature"),
        ({"tools": [{"function": {"parameters": {"minimum": float("-inf")}}}]}, "tools[0].function.parameters.minimum"),
        ({"messages": [], 7: "secret"}, ""),
        ({"metadata": {"a": {None: 1}}}, "metadata.a"),
        ({"metadata": {"a secret": {1, 2}}}, "metadata[…]"),
        ({"metadata": {"\ud800": 1}}, "metadata[…]"),
        ({"metadata": b"secret"}, "metadata"),
        ({"metadata": CIRCLE}, "metadata" + "[0]" * (MAX_DEPTH - 1)),
    ],
)  # fmt: skip
def test_values_without_a_json_form_are_refused_with_their_path(request_: dict[Any, Any], path: str) -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(request_)
    assert caught.value.path == path
    assert caught.value.offset is None
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "path", "offset"),
    [
        ('{"é":1,"a":NaN}', "a", 11),
        ('[1,-Infinity]', "[1]", 3),
        ('{"a":[1e400]}', "a[0]", 6),
        ('{"a":1,"b":{"c":1,"c":2}}', "b.c", 18),
        ('{"a":1,"\\u0061":2}', "a", 7),
        ('{"a":"\\ud83d"}', "a", 5),
        ('["\ud83d"]', "[0]", 1),
        ("\ufeff{}", "", 0),
        ('{"a":[1,2', "a", 9),
        ('{"a":1}}', "", 7),
        ('{"a":"secret\n"}', "a", 5),
        ('{"a":"secret\\x"}', "a", 5),
        ("{'a':1}", "", 1),
        ('{"a" 1}', "a", 5),
        ('{"a":01}', "", 6),
        ('{"a":}', "a", 5),
        ('[1 2]', "", 3),
        ("", "", 0),
        ("[" * 100_000, "[0]" * MAX_DEPTH, MAX_DEPTH),
    ],
)  # fmt: skip
def test_faulty_text_is_refused_with_its_path_and_offset(text: str, path: str, offset: int) -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json(text)
    assert (caught.value.path, caught.value.offset) == (path, offset)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_offsets_of_bytes_count_bytes() -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json('{"é":1,"a":NaN}'.encode())
    assert caught.value.offset == 12
    with pytest.raises(CanonicalJsonError, match="not UTF-8") as caught:
        canonical_json(b'{"a":"\xff"}')
    assert caught.value.offset == 6
    assert caught.value.__context__ is None


def test_two_keys_of_the_same_text_are_refused() -> None:
    class Odd(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    with pytest.raises(CanonicalJsonError, match="same text"):
        canonical_json({"metadata": {Odd("a"): 1, Odd("a"): 2}})


def test_the_error_survives_a_process_boundary() -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        canonical_json("[1,")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path, again.offset) == (str(caught.value), caught.value.path, caught.value.offset)
